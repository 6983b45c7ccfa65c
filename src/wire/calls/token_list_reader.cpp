#include "wire/calls/token_list_reader.hpp"

#include "wire/json/wire_limits.hpp"

#include <algorithm>
#include <charconv>

namespace tandem::wire {
namespace {

constexpr std::string_view beginning = "{\"tokens\":[";
constexpr std::string_view ending = "]}";

// Consumes an id from the front. JSON allows no leading zeros, and ids have no sign.
bool read_id(std::string_view& text, token_id& out) noexcept {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (fault != std::errc{} || text.front() == '-') return false;
    const auto length = static_cast<std::size_t>(end - text.data());
    if (length > 1 && text.front() == '0') return false;
    text.remove_prefix(length);
    return true;
}

}  // namespace

bool read_token_list(std::string_view body, std::vector<token_id>& out) {
    if (!body.starts_with(beginning)) return false;
    body.remove_prefix(beginning.size());
    out.clear();
    if (body == ending) return true;
    const auto commas = static_cast<std::size_t>(std::count(body.begin(), body.end(), ','));
    // The general decoder counts the object, its key and the list as values, too.
    if (commas + 4 > max_answer_values) return false;
    out.reserve(commas + 1);
    for (token_id id = 0; read_id(body, id);) {
        out.push_back(id);
        if (!body.starts_with(',')) break;
        body.remove_prefix(1);
    }
    return out.size() == commas + 1 && body == ending;
}

}  // namespace tandem::wire
