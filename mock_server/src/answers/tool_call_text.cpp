#include "answers/tool_call_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace tandem::mock {
namespace {

using nlohmann::json;

constexpr std::string_view opening = "<tool_call>\n";
constexpr std::string_view before_name = "{\"name\": \"";
constexpr std::string_view after_name = "\", \"arguments\": ";
constexpr std::string_view closing = "}\n</tool_call>";

/// Reads a string from its start.
class call_reader {
 public:
    explicit call_reader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }

    /// Skips `words`, or the part of them that the text contains before it ends. False if the text
    /// differs.
    bool skip(std::string_view words) {
        const auto n = std::min(words.size(), rest_.size());
        if (rest_.substr(0, n) != words.substr(0, n)) return false;
        rest_.remove_prefix(n);
        return true;
    }
    void skip_white_space() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
    }

    /// Takes the text up to `end`, or all if there is no `end`.
    std::string_view take_until(std::string_view end) {
        const auto n = std::min(rest_.find(end), rest_.size());
        const auto taken = rest_.substr(0, n);
        rest_.remove_prefix(n);
        return taken;
    }

 private:
    std::string_view rest_;
};

bool is_known(std::string_view name, const std::vector<std::string>& tools) {
    return std::find(tools.begin(), tools.end(), name) != tools.end();
}

// If the text was cut off inside the closing words, removes the part of them that it contains.
std::string_view strip_partial_closing(std::string_view arguments) {
    for (auto n = closing.size() - 1; n > 0; --n) {
        if (!arguments.ends_with(closing.substr(0, n))) continue;
        const auto value = arguments.substr(0, arguments.size() - n);
        if (json::accept(value)) return value;
    }
    return arguments;
}

// Reads a call after its opening, and appends it if its name is complete.
bool read_call(call_reader& in, const std::vector<std::string>& tools,
               std::vector<function_call>& calls) {
    if (!in.skip(before_name)) return false;
    const auto name = in.take_until("\"");
    if (in.at_end()) return true;
    if (!is_known(name, tools) || !in.skip(after_name)) return false;
    calls.push_back({.name = std::string(name), .arguments = "{"});
    if (in.at_end()) return true;
    const auto arguments = in.take_until(closing);
    const bool is_half = in.at_end();
    calls.back().arguments = is_half ? strip_partial_closing(arguments) : arguments;
    return is_half || (in.skip(closing) && json::accept(arguments));
}

// Where the first call begins. The text may end inside the call's opening.
std::size_t start_of_calls(std::string_view text) {
    if (const auto at = text.find(opening); at != text.npos) return at;
    for (auto n = std::min(opening.size(), text.size()); n > 0; --n)
        if (text.ends_with(opening.substr(0, n))) return text.size() - n;
    return text.size();
}

}  // namespace

std::optional<parsed_text> parse_tool_calls(std::string_view text,
                                            const std::vector<std::string>& tools) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const auto start = start_of_calls(text);
    parsed_text parsed{.content = std::string(text.substr(0, start))};
    call_reader in(text.substr(start));
    while (!in.at_end()) {
        if (!in.skip(opening) || !read_call(in, tools, parsed.calls)) return std::nullopt;
        in.skip_white_space();
    }
    return parsed;
}

std::string make_call_id() {
    constexpr std::string_view letters =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    thread_local std::mt19937 dice{std::random_device()()};
    std::string id(32, ' ');
    for (char& c : id) c = letters[dice() % letters.size()];
    return id;
}

}  // namespace tandem::mock
