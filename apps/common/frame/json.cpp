#include "json.hpp"

namespace halocline::base {
template nlohmann::json json_of(std::string_view);
template nlohmann::ordered_json json_of(std::string_view);
template std::string json_text(const nlohmann::json&, int);
template std::string json_text(const nlohmann::ordered_json&, int);
}  // namespace halocline::base
