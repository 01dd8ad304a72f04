#include "file_shape.hpp"

#include <algorithm>
#include <utility>

namespace halocline::detail {

namespace {

enum class Type { text, number, flag, texts, list, object, anything };

struct Shape {
  Type type = Type::anything;
  /// Members of an object, or of each object of a list. Others are unknown; if empty, all are
  /// known.
  std::vector<std::pair<std::string, Shape>> fields{};
  /// Without it an object says nothing.
  std::string needed{};
  /// People ask for something with it.
  bool wish = false;
};

const char* wanted(Type type) {
  switch (type) {
    case Type::text: return "a text";
    case Type::number: return "a number";
    case Type::flag: return "true or false";
    case Type::texts: return "a list of texts";
    case Type::list: return "a list";
    case Type::object: return "an object";
    case Type::anything: break;
  }
  return "anything";
}

bool has_type(const Json& value, Type type) {
  switch (type) {
    case Type::text: return value.is_string();
    case Type::number: return value.is_number();
    case Type::flag: return value.is_boolean();
    case Type::texts:
      return value.is_array() && std::all_of(value.begin(), value.end(),
                                             [](const Json& one) { return one.is_string(); });
    case Type::list: return value.is_array();
    case Type::object: return value.is_object();
    case Type::anything: break;
  }
  return true;
}

std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

using Fields = std::vector<std::pair<std::string, Shape>>;

Fields together(Fields one, const Fields& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

const Shape& whole_file() {
  constexpr Type text = Type::text, number = Type::number, flag = Type::flag;
  static const Fields wishes{{"forbid", {Type::texts, {}, {}, true}},
                             {"pin", {text, {}, {}, true}}};
  static const Shape machine{
      Type::object,
      {{"cpu", {text}}, {"cores", {number}}, {"mpi", {text}}, {"environment", {Type::object}}}};
  static const Fields entry{{"machine", machine},
                            {"job",
                             {Type::object,
                              {{"ranks", {number}},
                               {"nodes", {number}},
                               {"ranks_per_island", {number}},
                               {"yielding", {flag}},
                               {"asked", {text}}}}},
                            {"pattern",
                             {Type::object,
                              {{"memory", {text}},
                               {"fields", {number}},
                               {"two_way", {flag}},
                               {"links", {number}},
                               {"bytes", {number}},
                               {"largest", {number}},
                               {"runs", {number}},
                               {"copied", {number}},
                               {"field_bytes", {number}},
                               {"away", {number}}}}},
                            {"scheme", {text}},
                            {"why", {text}},
                            {"time", {text}},
                            {"seconds", {number}},
                            {"jobs", {number}},
                            {"laps", {number}},
                            {"comment", {}},
                            {"candidates",
                             {Type::list,
                              {{"scheme", {text}},
                               {"median_us", {number}},
                               {"low_us", {number}},
                               {"high_us", {number}},
                               {"mean_us", {number}},
                               {"samples", {number}},
                               {"avoidable_bytes", {number}},
                               {"laps", {number}},
                               {"times", {number}},
                               {"times_low", {number}},
                               {"times_high", {number}},
                               {"dropped", {text}}},
                              "scheme"}}};
  static const Fields style{
      {"machine", machine},
      {"job",
       {Type::object,
        {{"ranks", {number}},
         {"nodes", {number}},
         {"threads", {number}},
         {"yielding", {flag}},
         {"scheme", {text}}}}},
      {"step", {Type::object, {{"inner", {number}}, {"border", {number}}, {"bytes", {number}}}}},
      {"style", {text}},
      {"decided", {flag}},
      {"time", {text}},
      {"candidates", {Type::list, {{"style", {text}}, {"median_us", {number}}}, "style"}}};
  static const Fields unfinished{
      {"scheme", {text}}, {"machine", machine}, {"time", {text}}, {"jobs", {number}}};
  static const Shape file{Type::object,
                          together({{"format", {text}},
                                    {"version", {number}},
                                    {"comment", {}},
                                    {"choices", {Type::list, together(entry, wishes)}},
                                    {"styles", {Type::list, style}},
                                    {"unfinished", {Type::list, unfinished, "scheme"}}},
                                   wishes)};
  return file;
}

struct Report {
  std::string fault{};
  std::vector<std::string> remarks{};
};

void look(const Json& value, const Shape& shape, const std::string& where, Report& report);

void look_inside(const Json& object, const Shape& shape, const std::string& where, Report& report) {
  if (shape.fields.empty()) return;
  const std::string before = where.empty() ? "" : where + ".";
  for (const auto& [name, inside] : object.items()) {
    const auto known =
        std::find_if(shape.fields.begin(), shape.fields.end(),
                     [&name = name](const auto& field) { return field.first == name; });
    if (known == shape.fields.end())
      report.remarks.push_back('"' + before + name + "\" is no field that is known");
    else
      look(inside, known->second, before + name, report);
  }
  if (!shape.needed.empty() && !object.contains(shape.needed))
    report.remarks.push_back('"' + before + shape.needed +
                             "\" is missing; the rest of it is passed over");
}

void look(const Json& value, const Shape& shape, const std::string& where, Report& report) {
  if (!has_type(value, shape.type)) {
    if (shape.wish) {
      if (report.fault.empty())
        report.fault = '"' + where + "\" must be " + wanted(shape.type) + ", not " + shown(value);
    } else {
      report.remarks.push_back('"' + where + "\" is " + shown(value) + ", not " +
                               wanted(shape.type) + "; it is passed over");
    }
  } else if (shape.type == Type::object) {
    look_inside(value, shape, where, report);
  } else if (shape.type == Type::list) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string place = where + "[" + std::to_string(i) + "]";
      if (value[i].is_object())
        look_inside(value[i], shape, place, report);
      else
        look(value[i], {Type::object}, place, report);
    }
  }
}

Report report_on(const Json& file) {
  Report report;
  look(file, whole_file(), "", report);
  return report;
}

}  // namespace

std::string fault_in(const Json& file) {
  return report_on(file).fault;
}

std::vector<std::string> remarks_on(const Json& file) {
  return report_on(file).remarks;
}

}  // namespace halocline::detail
