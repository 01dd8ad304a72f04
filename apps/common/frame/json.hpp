#pragma once
// JSON. What reads and writes it is compiled once (json.cpp), and not in each file that does.

#include <base/json.hpp>
#include <base/text.hpp>

#include <nlohmann/json.hpp>

namespace halocline::base {
extern template nlohmann::json json_of(std::string_view);
extern template nlohmann::ordered_json json_of(std::string_view);
extern template std::string json_text(const nlohmann::json&, int);
extern template std::string json_text(const nlohmann::ordered_json&, int);
}  // namespace halocline::base
