#pragma once
// Kinds of measurement: one file for each, one line in the registry.

#include "work.hpp"

#include <halocline/scheme.hpp>

#include <frame/arguments.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace halometer {

class Kind {
 public:
  virtual ~Kind() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;  ///< one line
  /// Adds the kind's own options; `app` refers to members.
  virtual void declare(frame::Arguments& app) = 0;
  /// What `--schemes` means when it is not given.
  virtual std::string default_schemes() const { return "all"; }
  virtual int threads() const { return 1; }  ///< of each rank, at most
  /// That it needs of MPI.
  virtual int thread_level() const { return MPI_THREAD_FUNNELED; }
  /// What is to be measured. Collective; throws halocline::Error on all ranks alike.
  virtual std::vector<Group> groups(MPI_Comm comm, const std::string& schemes) = 0;
};

std::unique_ptr<Kind> halo();
std::unique_ptr<Kind> reverse();
std::unique_ptr<Kind> roundtrip();
std::unique_ptr<Kind> bandwidth();
std::unique_ptr<Kind> sync();
std::unique_ptr<Kind> neighbors();
std::unique_ptr<Kind> rings();
std::unique_ptr<Kind> transpose();
std::unique_ptr<Kind> overlap();
std::unique_ptr<Kind> progress();
std::unique_ptr<Kind> memory();
std::unique_ptr<Kind> sweeps();
std::unique_ptr<Kind> setup();
std::unique_ptr<Kind> calls();
std::unique_ptr<Kind> styles();
std::unique_ptr<Kind> threads();
std::unique_ptr<Kind> device();

/// All of them, in the order in which --help names them.
std::vector<std::unique_ptr<Kind>> kinds();

/// Those of `names` that a list of names and globs with commas means, in its order; "all" means
/// every one. Throws halocline::Error on what means none.
std::vector<std::string> chosen(const std::string& patterns, const std::vector<std::string>& names);
/// The same for schemes that this MPI can run: a glob with '+' looks at all combinations of
/// options, another one at the schemes without; a name is taken as it stands.
std::vector<halocline::Scheme> chosen_schemes(const std::string& patterns);

/// A number of bytes as one reads it: 64 KiB.
std::string shown_bytes(std::size_t bytes);
/// Adds an option for a list of bytes: 0,8,64K,1M.
void add_sizes(frame::Arguments& app, const std::string& name, std::vector<std::size_t>& sizes,
               const std::string& help);
/// Concludes a group whose contenders of one scheme differ in parameter `name`: `times_BASE` is
/// what one with the first value of a pair takes, as a multiple of the one with the second.
std::function<void(std::vector<Measured>&)> over(const std::string& name,
                                                 const std::map<std::string, std::string>& pairs);
/// The flag --unchanged, which clears `fresh` (of ExchangeWork::Options).
void add_unchanged(frame::Arguments& app, bool& fresh);

}  // namespace halometer
