#include "json_object.hpp"

#include <nlohmann/json.hpp>

#include <iterator>

namespace tandem::command {

json_object& json_object::field(const char* name, std::string_view value) {
    using nlohmann::json;
    return raw(name, json(value).dump(-1, ' ', false, json::error_handler_t::replace));
}

json_object& json_object::field(const char* name, double value) {
    return raw(name, value >= 0 ? fmt::format("{:.3f}", value) : "null");
}

json_object& json_object::raw(const char* name, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), "{}\"{}\":{}", text_.size() > 1 ? "," : "", name,
                   value);
    return *this;
}

}  // namespace tandem::command
