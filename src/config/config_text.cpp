#include "base/enum_names.hpp"
#include "base/parse_number.hpp"
#include "config/describe_expected_value.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace tandem {
inline namespace v0 {
namespace {

struct unit {
    std::string_view name;
    double seconds;
};
constexpr std::array units{unit{"ms", 1e-3}, unit{"s", 1.0}, unit{"m", 60.0}, unit{"h", 3600.0},
                           unit{"", 1.0}};
constexpr const char* automatic = "auto";
constexpr double max_seconds = 1e9;  // keeps the nanoseconds well within 64 bits

// Each overload sets a value of its type from the text, or returns false.
template <class Number>
requires std::is_arithmetic_v<Number>
bool set_value(Number& value, std::string_view text) {
    const auto number = parse_number<Number>(text);
    value = number.value_or(value);
    return number.has_value();
}

bool set_value(bool& value, std::string_view text) {
    value = text == "true" || text == "1";
    return value || text == "false" || text == "0";
}

bool set_value(std::string& value, std::string_view text) {
    value = text;
    return true;
}

bool set_value(std::vector<std::string>& values, std::string_view text) {
    values.emplace_back(text);
    return true;
}

bool set_value(std::vector<tag_pair>& pairs, std::string_view text) {
    if (text == "none") {
        pairs.clear();
        return true;
    }
    const auto gap = text.find_first_of(" \t\n");
    const auto close = text.find_first_not_of(" \t\n", gap);
    if (gap == 0 || gap == std::string_view::npos || close == std::string_view::npos) return false;
    pairs.push_back({std::string(text.substr(0, gap)), std::string(text.substr(close))});
    return true;
}

bool set_value(speech_replacements& words, std::string_view text) {
    if (text == "none") {
        words.clear();
        return true;
    }
    const auto equals = text.find('=', 1);
    if (equals == std::string_view::npos) return false;
    words.insert_or_assign(std::string(text.substr(0, equals)),
                           std::string(text.substr(equals + 1)));
    return true;
}

bool set_value(duration& value, std::string_view text) {
    const auto read = parse_duration(text);
    value = read.value_or(value);
    return read.has_value();
}

bool set_value(std::optional<duration>& value, std::string_view text) {
    const auto read = text == automatic ? auto_guard : parse_duration(text);
    if (read) value = read;
    return read.has_value();
}

template <class Number>
requires std::is_arithmetic_v<Number>
bool set_value(std::optional<Number>& value, std::string_view text) {
    const auto number = parse_number<Number>(text);
    if (number) value = number;
    return number.has_value();
}

template <class Enum>
requires std::is_enum_v<Enum>
bool set_value(Enum& value, std::string_view text) {
    const auto read = parse_enum<Enum>(text);
    value = read.value_or(value);
    return read.has_value();
}

template <class Enum>
requires std::is_enum_v<Enum>
bool set_value(std::optional<Enum>& value, std::string_view text) {
    Enum read{};
    if (!set_value(read, text)) return false;
    value = read;
    return true;
}

// Describes what set_value() accepts, for an error message.
template <class Field>
std::string text_expected(const field_info& f, const Field& value) {
    auto expected = detail::describe_expected_value(f, value);
    if constexpr (std::is_same_v<Field, duration>) expected += detail::time_examples;
    if constexpr (std::is_same_v<Field, std::optional<duration>>)
        expected += fmt::format("{}, or {}", detail::time_examples, automatic);
    return expected;
}
std::string text_expected(const field_info&, const std::string&) {
    return "a text";
}
std::string text_expected(const field_info&, const std::vector<std::string>&) {
    return "a text";
}

template <class Number>
std::string show_value(Number value) requires std::is_arithmetic_v<Number> {
    return fmt::format("{}", value);
}
std::string show_value(const std::string& value) {
    return value;
}
std::string show_value(const std::vector<std::string>& values) {
    return fmt::format("{}", fmt::join(values, ", "));
}
std::string show_value(const std::vector<tag_pair>& pairs) {
    std::string text;
    for (const auto& p : pairs)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", p.open, p.close);
    return text;
}
std::string show_value(const speech_replacements& words) {
    std::string text;
    for (const auto& [word, spoken] : words)
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", word, spoken);
    return text;
}
std::string show_value(duration value) {
    return to_string(value);
}
std::string show_value(std::optional<duration> value) {
    if (!value) return {};
    return *value == auto_guard ? automatic : show_value(*value);
}
template <class Number>
std::string show_value(const std::optional<Number>& value) requires std::is_arithmetic_v<Number> {
    return value ? show_value(*value) : std::string();
}
template <class Enum>
std::string show_value(const std::optional<Enum>& value) requires std::is_enum_v<Enum> {
    return value ? std::string(to_string(*value)) : std::string();
}
template <class Enum>
std::string show_value(Enum value) requires std::is_enum_v<Enum> {
    return std::string(to_string(value));
}

}  // namespace

std::optional<duration> parse_duration(std::string_view text) {
    const auto unit_at = text.find_first_not_of("0123456789.");
    const auto suffix =
        unit_at == std::string_view::npos ? std::string_view{} : text.substr(unit_at);
    const auto number = parse_number<double>(text.substr(0, text.size() - suffix.size()));
    if (!number) return std::nullopt;
    for (const auto& u : units) {
        const double seconds = *number * u.seconds;
        if (u.name == suffix && seconds >= 0 && seconds <= max_seconds)
            return duration(std::llround(seconds * 1e9));
    }
    return std::nullopt;
}

std::string to_string(duration d) {
    const auto ns = d.count();
    if (ns % 1'000'000'000 == 0) return fmt::format("{}s", ns / 1'000'000'000);
    if (ns % 1'000'000 == 0) return fmt::format("{}ms", ns / 1'000'000);
    // Uses as few digits as necessary, and no exponent, which parse_duration() does not accept.
    auto ms = fmt::format("{:.6f}", static_cast<double>(ns) / 1e6);
    ms.erase(ms.find_last_not_of('0') + 1);
    return ms + "ms";
}

std::string_view to_string(pacing p) noexcept {
    return find_enum_name({automatic, "strict", "warm", "ahead", "stream"}, p);
}

std::string_view to_string(boundary_rule r) noexcept {
    return find_enum_name({"classic", "spoken"}, r);
}

std::string_view to_string(speech_form s) noexcept {
    return find_enum_name({"exact", "clean"}, s);
}

std::string_view to_string(emoji_speech s) noexcept {
    return find_enum_name({"removed", "kept"}, s);
}

std::string_view to_string(code_speech s) noexcept {
    return find_enum_name({"skipped", "spoken"}, s);
}

std::string_view to_string(url_speech s) noexcept {
    return find_enum_name({"kept", "host"}, s);
}

std::string_view to_string(mark_speech s) noexcept {
    return find_enum_name({"drop", "keep", "report"}, s);
}

std::optional<std::string> set_field(config& c, std::string_view name, std::string_view text) {
    std::optional<std::string> result = fmt::format("unknown field {}", name);
    for_each_field(c, [&](const field_info& f, auto& value) {
        if (f.name != name) return;
        auto changed = value;
        result.reset();
        if (set_value(changed, text))
            value = std::move(changed);
        else
            result = detail::invalid_value_text(text, text_expected(f, value));
    });
    return result;
}

std::string field_text(const config& c, std::string_view name) {
    std::string text;
    for_each_field(c, [&](const field_info& f, const auto& value) {
        if (f.name != name) return;
        text = show_value(value);
        if (f.secret && !text.empty()) text = "***";
        if (f.name == std::string_view("url")) text = transport::without_credentials(text);
    });
    return text;
}

}  // namespace v0
}  // namespace tandem
