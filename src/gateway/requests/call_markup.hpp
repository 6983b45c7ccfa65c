#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Parsers for tool calls in formats other than JSON. Pure; throws only std::bad_alloc.
namespace tandem::gateway {

/// A call as the model wrote it; the function may not exist.
struct parsed_call {
    std::string name{};
    /// A JSON object.
    std::string arguments{};
};

/// A parameter whose schema allows a string. Markup does not distinguish the number 5 from the text
/// "5": the value of any other parameter is parsed as JSON.
struct text_parameter {
    std::string function{};
    std::string name{};
    /// If true, `null` is read as null rather than as text.
    bool may_be_null = false;
};
using text_parameters = std::vector<text_parameter>;

/// Reads one or more calls in Qwen3-Coder's format: `<function=f>`, any number of
/// `<parameter=p>value</parameter>`, and `</function>`. Returns an empty list if any of them is
/// malformed.
std::vector<parsed_call> parse_function_markup(std::string_view text, const text_parameters& texts);

/// Reads the text between GLM's marks: a name, and `<arg_key>k</arg_key><arg_value>v</arg_value>`.
std::optional<parsed_call> parse_key_value_markup(std::string_view text,
                                                  const text_parameters& texts);

/// Reads the text between Gemma's marks: `call:f{p:<|"|>text<|"|>,q:[1,2]}`.
std::optional<parsed_call> parse_gemma_call(std::string_view text);

/// A call at the end of gpt-oss's reasoning: `… to=functions.f <|constrain|>json<|message|>{…}`.
struct channel_call {
    /// Offset of its header.
    std::size_t at = 0;
    std::string name{};
    std::string_view arguments{};
};
std::optional<channel_call> find_channel_call(std::string_view reasoning);

}  // namespace tandem::gateway
