#include "arguments.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <sstream>

namespace frame {

DeclaredOption& DeclaredOption::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

DeclaredOption& DeclaredOption::range(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

DeclaredOption& DeclaredOption::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

DeclaredOption& DeclaredOption::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

DeclaredOption& DeclaredOption::one_of(const std::vector<std::string>& words) {
  option_->check(CLI::IsMember(words));
  return *this;
}

DeclaredOption& DeclaredOption::one_number_of(const std::vector<int>& numbers) {
  option_->check(CLI::IsMember(numbers));
  return *this;
}

DeclaredOption& DeclaredOption::bytes() {
  option_->transform(CLI::AsSizeValue(false));
  return *this;
}

DeclaredOption& DeclaredOption::with_commas() {
  option_->delimiter(',');
  return *this;
}

DeclaredOption& DeclaredOption::expected(int values) {
  option_->expected(values);
  return *this;
}

DeclaredOption& DeclaredOption::required() {
  option_->required();
  return *this;
}

DeclaredOption& DeclaredOption::shows_default() {
  option_->capture_default_str();
  return *this;
}

Arguments::Arguments(const std::string& summary)
    : own_(std::make_unique<CLI::App>(summary)), app_(own_.get()) {}

Arguments::Arguments(CLI::App* command) : app_(command) {}

Arguments::Arguments(Arguments&&) noexcept = default;
Arguments::~Arguments() = default;

template <class T>
DeclaredOption Arguments::option(const std::string& name, T& value, const std::string& help) {
  return DeclaredOption(app_->add_option(name, value, help));
}

#define FRAME_OPTION(...) \
  template DeclaredOption Arguments::option(const std::string&, __VA_ARGS__&, const std::string&)
FRAME_OPTION(std::string);
FRAME_OPTION(int);
FRAME_OPTION(unsigned);
FRAME_OPTION(std::int64_t);
FRAME_OPTION(std::uint64_t);
FRAME_OPTION(double);
FRAME_OPTION(std::optional<int>);
FRAME_OPTION(std::vector<std::string>);
FRAME_OPTION(std::vector<int>);
FRAME_OPTION(std::vector<std::int64_t>);
FRAME_OPTION(std::vector<std::uint64_t>);
FRAME_OPTION(std::vector<double>);
#undef FRAME_OPTION

void Arguments::flag(const std::string& name, bool& given, const std::string& help) {
  app_->add_flag(name, given, help);
}

Arguments& Arguments::command(const std::string& name, const std::string& summary) {
  app_->require_subcommand(1);
  commands_.push_back(Arguments(app_->add_subcommand(name, summary)));
  return commands_.back();
}

void Arguments::options_anywhere() {
  app_->fallthrough();
}

std::string Arguments::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return {};
  } catch (const CLI::Success& wish) {
    std::ostringstream help;
    app_->exit(wish, help, help);
    return help.str();
  } catch (const CLI::RequiredError& problem) {
    throw WrongArguments(problem.what(), true);
  } catch (const CLI::ParseError& problem) {
    throw WrongArguments(problem.what(), false);
  }
}

bool Arguments::named(const std::string& command) const {
  return app_->got_subcommand(command);
}

}  // namespace frame
