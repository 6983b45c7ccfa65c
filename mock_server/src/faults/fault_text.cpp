#include "tandem_mock/fault.hpp"

#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace tandem::mock {
namespace {

constexpr std::array<std::pair<std::string_view, fault_kind>, 12> kinds = {{
    {"stall", fault_kind::stall},
    {"reset", fault_kind::reset},
    {"close", fault_kind::close},
    {"half_event", fault_kind::half_event},
    {"garbage", fault_kind::garbage},
    {"no_final", fault_kind::no_final},
    {"stream_error", fault_kind::stream_error},
    {"slow_headers", fault_kind::slow_headers},
    {"unavailable", fault_kind::unavailable},
    {"http_error", fault_kind::http_error},
    {"crash", fault_kind::crash},
    {"unnoticed_cut", fault_kind::unnoticed_cut},
}};

[[noreturn]] void refuse(std::string_view what, std::string_view text) {
    throw std::invalid_argument("fault: " + std::string(what) + " '" + std::string(text) + "'");
}

fault_kind kind_of(std::string_view name) {
    for (const auto& [known, kind] : kinds) {
        if (known == name) return kind;
    }
    refuse("unknown kind", name);
}

template <typename T>
T number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse("not a number:", text);
    return value;
}

std::chrono::milliseconds duration_of(std::string_view text) {
    const std::size_t unit_at = text.find_first_not_of("0123456789");
    const auto number = number_of<std::int64_t>(text.substr(0, unit_at));
    const std::string_view unit = unit_at == text.npos ? "s" : text.substr(unit_at);
    if (number > 1'000'000'000) refuse("too long:", text);
    if (unit == "ms") return std::chrono::milliseconds(number);
    if (unit == "s") return std::chrono::seconds(number);
    if (unit == "m") return std::chrono::minutes(number);
    refuse("not a duration:", text);
}

void set_field(fault& f, std::string_view name, std::string_view value) {
    if (name == "at_token")
        f.at_token = number_of<int>(value);
    else if (name == "at_byte")
        f.at_byte = number_of<std::int64_t>(value);
    else if (name == "duration")
        f.duration = duration_of(value);
    else if (name == "skip")
        f.skip = number_of<int>(value);
    else if (name == "times")
        f.times = number_of<int>(value);
    else if (name == "path")
        f.path = value;
    else if (name == "id_slot")
        f.id_slot = number_of<int>(value);
    else if (name == "status")
        f.status = number_of<int>(value);
    else if (name == "text")
        f.text = value;
    else
        refuse("unknown field", name);
}

}  // namespace

fault parse_fault(std::string_view text) {
    const std::size_t colon = text.find(':');
    fault f;
    f.kind = kind_of(text.substr(0, colon));
    std::string_view fields = colon == text.npos ? "" : text.substr(colon + 1);
    while (!fields.empty()) {
        const std::size_t equals = fields.find('=');
        if (equals == fields.npos) refuse("no value for", fields);
        const std::string_view name = fields.substr(0, equals);
        const std::size_t end = name == "text" ? fields.npos : fields.find(',');
        set_field(f, name, fields.substr(equals + 1, end == fields.npos ? end : end - equals - 1));
        fields = end == fields.npos ? "" : fields.substr(end + 1);
    }
    if (f.status < 400 || f.status > 599) refuse("status is not an error status:", text);
    return f;
}

}  // namespace tandem::mock
