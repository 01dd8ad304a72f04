#include "command_line.hpp"

#include <algorithm>
#include <sstream>

namespace frame {

namespace {

std::string name_of(const std::string& spelled) {
  return spelled.substr(0, spelled.find(' '));
}

/// The left column as it is, the text beside it in lines of at most 100 characters.
std::string in_columns(const std::string& left, const std::string& text) {
  constexpr std::size_t indent = 24, width = 100;
  std::string all, line = "  " + left;
  line.resize(std::max(indent - 1, line.size() + 1), ' ');
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > width) {
      all += line + '\n';
      line.assign(indent - 1, ' ');
    }
    line += ' ' + word;
  }
  return all + line + '\n';
}

}  // namespace

void CommandLine::option(const std::string& spelled, std::string help, std::string& text) {
  app_.add_option(name_of(spelled), text);
  entries_.push_back({section_, spelled, std::move(help)});
}

void CommandLine::option(const std::string& spelled, std::string help,
                         std::function<void(const Value&)> take) {
  takers_.push_back({{name_of(spelled), {}}, std::move(take)});
  option(spelled, std::move(help), takers_.back().value.text);
}

void CommandLine::flag(const std::string& name, std::string help, bool& given) {
  app_.add_flag(name, given);
  entries_.push_back({section_, name, std::move(help)});
}

void CommandLine::output(const std::string& spelled, std::string help,
                         std::function<void(const std::string&)> write,
                         std::function<void(const std::string&)> check) {
  outputs_.push_back({{}, std::move(write)});
  std::string& file = outputs_.back().file;
  option(spelled, std::move(help), [&file, check = std::move(check)](const Value& value) {
    if (check) check(value.text);
    file = value.text;
  });
}

void CommandLine::write_outputs() const {
  for (const Output& output : outputs_)
    if (!output.file.empty()) output.write(output.file);
}

bool CommandLine::parse(int argc, char** argv) {
  bool help = false;
  app_.set_help_flag();
  app_.add_flag("-h,--help,-?", help);
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    throw halocline::Error(problem.what());
  }
  return !help && argc > 1;
}

void CommandLine::take() const {
  for (const Taker& taker : takers_)
    if (app_.count(taker.value.option) > 0) taker.take(taker.value);
}

std::string CommandLine::help() const {
  std::vector<std::string> sections;
  for (const Entry& entry : entries_)
    if (std::find(sections.begin(), sections.end(), entry.section) == sections.end())
      sections.push_back(entry.section);
  std::stable_partition(sections.begin(), sections.end(),
                        [](const std::string& section) { return section != results; });
  std::string text;
  for (const std::string& section : sections) {
    text += '\n' + section + ":\n";
    for (const Entry& entry : entries_)
      if (entry.section == section) text += in_columns(entry.spelled, entry.help);
  }
  return text;
}

}  // namespace frame
