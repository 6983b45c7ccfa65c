#include "gateway/json/field_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

std::string_view kind_of(const json& value) noexcept {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    if (value.is_string()) return "a string";
    if (value.is_boolean()) return "a boolean";
    return value.is_null() ? "null" : "a number";
}

std::optional<std::int64_t> whole_number(const json& value) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    if (value.is_number_unsigned()) {
        const auto n = value.get<std::uint64_t>();
        return n > std::uint64_t{most} ? most : static_cast<std::int64_t>(n);
    }
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (!value.is_number()) return std::nullopt;
    const auto n = value.get<double>();
    if (n != std::floor(n)) return std::nullopt;
    if (std::abs(n) < 0x1p63) return static_cast<std::int64_t>(n);
    return n > 0 ? most : least;
}

}  // namespace

std::string append_path(std::string_view at, std::string_view key) {
    return at.empty() ? std::string(key) : fmt::format("{}.{}", at, key);
}

std::string append_path(std::string_view at, std::size_t index) {
    return fmt::format("{}[{}]", at, index);
}

const json* field_reader::find(const json& object, std::string_view key) {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool field_reader::read(const json& object, std::string_view at, const char* key,
                        std::string& out) {
    const auto* value = find(object, key);
    if (!value) return true;
    if (!value->is_string()) return fail_wrong_type(*value, append_path(at, key), "a string");
    out = value->get_ref<const std::string&>();
    return true;
}

bool field_reader::read(const json& object, std::string_view at, const char* key, bool& out) {
    const auto* value = find(object, key);
    if (!value) return true;
    if (!value->is_boolean()) return fail_wrong_type(*value, append_path(at, key), "true or false");
    out = value->get<bool>();
    return true;
}

bool field_reader::read(const json& object, std::string_view at, const char* key, double& out) {
    const auto* value = find(object, key);
    if (!value) return true;
    if (!value->is_number()) return fail_wrong_type(*value, append_path(at, key), "a number");
    out = value->get<double>();
    return true;
}

bool field_reader::read(const json& object, std::string_view at, const char* key,
                        std::int64_t& out) {
    const auto* value = find(object, key);
    if (!value) return true;
    if (!value->is_number()) return fail_wrong_type(*value, append_path(at, key), "a whole number");
    const auto number = whole_number(*value);
    if (!number) return fail_invalid(append_path(at, key), "must be a whole number");
    out = *number;
    return true;
}

bool field_reader::read_required(const json& object, std::string_view at, const char* key,
                                 std::string& out) {
    return find(object, key) ? read(object, at, key, out) : fail_missing(append_path(at, key));
}

bool field_reader::fail_wrong_type(const json& value, std::string path, std::string_view expected) {
    auto message = fmt::format("{} must be {}, not {}", path, expected, kind_of(value));
    return fail("invalid_type", std::move(path), std::move(message));
}

bool field_reader::fail_missing(std::string path) {
    auto message = path + " is missing";
    return fail("missing_required_parameter", std::move(path), std::move(message));
}

bool field_reader::fail_invalid(std::string path, const std::string& words) {
    auto message = path + " " + words;
    return fail("invalid_value", std::move(path), std::move(message));
}

bool field_reader::fail_unsupported(std::string path, const std::string& words) {
    auto message = path + " " + words;
    return fail("unsupported_value", std::move(path), std::move(message));
}

bool field_reader::fail(const char* code, std::string path, std::string message) {
    fault_ = make_error(400, code, std::move(message), std::move(path));
    return false;
}

}  // namespace tandem::gateway
