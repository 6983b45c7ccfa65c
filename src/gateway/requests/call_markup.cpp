#include "gateway/requests/call_markup.hpp"

#include "gateway/json/json_text.hpp"
#include "gateway/json/raw_json.hpp"
#include "wire/json/json_limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr wire::json_limits value_limits{.depth = 64, .values = 10'000};
constexpr std::string_view name_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

bool is_markup_name(std::string_view text) noexcept {
    return !text.empty() && text.find_first_not_of(name_characters) == text.npos;
}

/// Removes leading white space and `prefix`; returns false if the prefix is missing.
bool take(std::string_view& text, std::string_view prefix) noexcept {
    const auto rest = trim_json_space(text);
    if (!rest.starts_with(prefix)) return false;
    text = rest.substr(prefix.size());
    return true;
}

/// Removes and returns the text before `end`, and removes `end`; nullopt if it is missing.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) noexcept {
    const auto at = text.find(end);
    if (at == text.npos) return std::nullopt;
    const auto before = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return before;
}

/// Models write each value on separate lines.
std::string_view without_line_ends(std::string_view value) noexcept {
    if (value.starts_with('\n')) value.remove_prefix(1);
    if (value.ends_with('\n')) value.remove_suffix(1);
    return value;
}

/// `text` is nullptr if the parameter is not a string.
json value_of(std::string_view written, const text_parameter* text) {
    const auto value = without_line_ends(written);
    if (text && text->may_be_null && value == "null") return json();
    if (!text && wire::check_json(value, value_limits) == wire::json_fault::none)
        return json::parse(value);
    return std::string(value);
}

/// Collects the arguments of one call.
class markup_arguments {
 public:
    markup_arguments(std::string_view function, const text_parameters& texts)
        : function_(function), texts_(texts) {}

    void add(std::string_view key, std::string_view value) {
        const auto found = std::ranges::find_if(texts_, [&](const text_parameter& t) {
            return t.function == function_ && t.name == key;
        });
        values_[std::string(key)] = value_of(value, found == texts_.end() ? nullptr : &*found);
    }
    parsed_call call() const { return {std::string(function_), dump_json(values_)}; }

 private:
    std::string_view function_;
    const text_parameters& texts_;
    json values_ = json::object();
};

std::optional<parsed_call> take_function(std::string_view& text, const text_parameters& texts) {
    if (!take(text, "<function=")) return std::nullopt;
    const auto name = take_until(text, ">");
    if (!name || !is_markup_name(*name)) return std::nullopt;
    markup_arguments arguments(*name, texts);
    while (take(text, "<parameter=")) {
        const auto key = take_until(text, ">");
        const auto value = key ? take_until(text, "</parameter>") : std::nullopt;
        if (!value || !is_markup_name(*key)) return std::nullopt;
        arguments.add(*key, *value);
    }
    if (!take(text, "</function>")) return std::nullopt;
    return arguments.call();
}

// --- Gemma

constexpr std::string_view gemma_quote = "<|\"|>";

/// Appends a key, or a word such as `true`. Quotes keys.
void append_word(std::string_view& rest, std::string& out) {
    const auto end = std::min(rest.find_first_of(",:{}[] \t\r\n<"), rest.size());
    const auto word = rest.substr(0, end);
    rest.remove_prefix(end);
    const bool is_key = trim_json_space(rest).starts_with(':');
    out +=
        is_key && !word.starts_with('"') ? dump_json(json(std::string(word))) : std::string(word);
}

/// Converts the arguments to JSON. The result may be invalid; it is checked afterwards.
std::string json_of_gemma(std::string_view rest) {
    std::string out;
    while (!rest.empty()) {
        if (rest.starts_with(gemma_quote)) {
            rest.remove_prefix(gemma_quote.size());
            const auto text = take_until(rest, gemma_quote);
            if (!text) return {};
            out += dump_json(json(std::string(*text)));
        } else if (std::string_view(",:{}[] \t\r\n<").find(rest.front()) !=
                   std::string_view::npos) {
            out += rest.front();
            rest.remove_prefix(1);
        } else {
            append_word(rest, out);
        }
    }
    return out;
}

}  // namespace

std::vector<parsed_call> parse_function_markup(std::string_view text,
                                               const text_parameters& texts) {
    std::vector<parsed_call> calls;
    while (!trim_json_space(text).empty()) {
        auto call = take_function(text, texts);
        if (!call) return {};
        calls.push_back(*std::move(call));
    }
    return calls;
}

std::optional<parsed_call> parse_key_value_markup(std::string_view text,
                                                  const text_parameters& texts) {
    const auto name = trim_json_space(text.substr(0, text.find("<arg_key>")));
    if (!is_markup_name(name)) return std::nullopt;
    text = trim_json_space(text).substr(name.size());
    markup_arguments arguments(name, texts);
    while (take(text, "<arg_key>")) {
        const auto key = take_until(text, "</arg_key>");
        if (!key || !take(text, "<arg_value>")) return std::nullopt;
        const auto value = take_until(text, "</arg_value>");
        if (!value) return std::nullopt;
        arguments.add(trim_json_space(*key), *value);
    }
    if (!trim_json_space(text).empty()) return std::nullopt;
    return arguments.call();
}

std::optional<parsed_call> parse_gemma_call(std::string_view text) {
    if (!take(text, "call:")) return std::nullopt;
    const auto brace = std::min(text.find('{'), text.size());
    const auto name = trim_json_space(text.substr(0, brace));
    if (!is_markup_name(name)) return std::nullopt;
    return parsed_call{std::string(name), json_of_gemma(trim_json_space(text.substr(brace)))};
}

std::optional<channel_call> find_channel_call(std::string_view reasoning) {
    constexpr std::string_view to = "to=functions.";
    const auto at = reasoning.rfind(to);
    if (at == reasoning.npos) return std::nullopt;
    auto rest = reasoning.substr(at + to.size());
    const auto name = rest.substr(0, rest.find_first_not_of(name_characters));
    rest.remove_prefix(name.size());
    // The name may be followed by the channel and by the format of the arguments.
    for (const std::string_view word : {"<|channel|>commentary", "<|constrain|>", "json"})
        take(rest, word);
    if (name.empty() || !take(rest, "<|message|>")) return std::nullopt;
    auto header = reasoning.substr(0, at);
    for (const std::string_view word : {" ", "<|channel|>commentary", "<|start|>assistant"})
        if (header.ends_with(word)) header.remove_suffix(word.size());
    const auto arguments = trim_json_space(rest.substr(0, rest.find("<|call|>")));
    return channel_call{header.size(), std::string(name), arguments};
}

}  // namespace tandem::gateway
