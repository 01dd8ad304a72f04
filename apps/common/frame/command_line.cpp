#include "command_line.hpp"

#include "refusal.hpp"
#include "settings_file.hpp"

#include <base/shown.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

namespace frame {

using halocline::Error;

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

CommandLine::CommandLine() : app_(std::make_unique<CLI::App>()) {}

CommandLine::~CommandLine() = default;

void CommandLine::words(std::vector<std::string>& words) {
  app_->add_option("words", words);
}

void CommandLine::take_settings_file() {
  app_->add_option("file", file_);
}

void CommandLine::option(const std::string& spelled, std::string help, std::string& text) {
  app_->add_option(name_of(spelled), text);
  texts_[name_of(spelled)] = &text;
  entries_.push_back({section_, spelled, std::move(help)});
}

void CommandLine::option(const std::string& spelled, std::string help,
                         std::function<void(const Value&)> take) {
  takers_.push_back({{name_of(spelled), {}}, std::move(take)});
  option(spelled, std::move(help), takers_.back().value.text);
}

void CommandLine::flag(const std::string& name, std::string help, bool& given) {
  app_->add_flag(name, given);
  flags_[name] = &given;
  entries_.push_back({section_, name, std::move(help)});
}

void CommandLine::output(const std::string& spelled, std::string help,
                         std::function<void(const std::string&)> write,
                         std::function<void(const std::string&)> check,
                         halocline::base::Writing how) {
  outputs_.push_back({{name_of(spelled), "", how}, std::move(write)});
  std::string& file = outputs_.back().planned.file;
  option(spelled, std::move(help), [&file, check = std::move(check)](const Value& value) {
    if (check) check(value.file());
    file = value.file();
  });
}

void CommandLine::write_outputs() const {
  for (const auto& [planned, write] : outputs_)
    if (!planned.file.empty()) write(planned.file);
}

std::vector<halocline::base::Planned> CommandLine::outputs() const {
  std::vector<halocline::base::Planned> files;
  for (const Output& output : outputs_)
    if (!output.planned.file.empty()) files.push_back(output.planned);
  return files;
}

bool CommandLine::parse(int argc, char** argv) {
  bool help = false;
  app_->set_help_flag();
  app_->add_flag("-h,--help,-?", help);
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ExtrasError&) {
    throw Error(unknown(app_->remaining().front()));
  } catch (const CLI::ParseError& problem) {
    throw Error(problem.what());
  }
  return !help && argc > 1;
}

std::string CommandLine::unknown(const std::string& word) const {
  if (!word.starts_with("-")) return "'" + word + "' is one word too many";
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> known;
  for (const Entry& entry : entries_) known.push_back(name_of(entry.spelled));
  const std::string near = nearest(name, known);
  return name + ": there is no such option" + (near.empty() ? "" : "; did you mean " + near + "?");
}

void CommandLine::read(const std::string& file, std::string_view content) {
  for (const Setting& setting : settings_of(file, content)) {
    const std::string name = "--" + setting.key;
    const auto text = texts_.find(name);
    const auto flag = flags_.find(name);
    if (text == texts_.end() && flag == flags_.end())
      throw Error(setting.place + ": " + halocline::base::shown(setting.key) +
                  ": there is no such setting; keys are the names of options");
    if (app_->count(name) > 0) continue;
    if (flag != flags_.end()) {
      *flag->second = Value{setting.place + ": " + setting.key, setting.text}.choose<bool>(
          {{"on", true}, {"off", false}});
      continue;
    }
    *text->second = setting.text;
    for (Taker& taker : takers_)
      if (&taker.value.text == text->second) {
        taker.value.quoted = setting.quoted;
        taker.place = setting.place;
      }
  }
}

void CommandLine::take() const {
  for (const Taker& taker : takers_) {
    const std::string& name = taker.value.option;
    if (app_->count(name) > 0) {
      taker.take(taker.value);
    } else if (!taker.place.empty()) {
      try {
        taker.take(taker.value);
      } catch (const Error& problem) {
        // What is said of an option is said of a key.
        const std::string_view what = problem.what(), key = std::string_view(name).substr(2);
        throw Error(taker.place + ": " +
                    (what.starts_with(name) ? std::string(what.substr(2))
                                            : std::string(key) + ": " + std::string(what)));
      }
    }
  }
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
