// What halocline-preload is told to run: which linker or interpreter a program or script names.

#include "fuzz.hpp"

#include <preload/executable.hpp>

namespace {

void read(std::string_view text) {
  const preload::Executable what = preload::look_at(fuzz::file_of(text));
  fuzz::must((what.kind == preload::Kind::kDynamic) == !what.linker.empty());
  fuzz::must(what.linker.size() <= text.size() && what.interpreter.size() <= text.size());
  if (what.kind == preload::Kind::kOther) throw halocline::Error("it is no program");
}

const fuzz::Target target("executable", read);

}  // namespace
