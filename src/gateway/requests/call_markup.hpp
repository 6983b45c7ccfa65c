#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Calls of tools that models write other than as JSON. Pure; throws std::bad_alloc only.
namespace tandem::gateway {

/// A call as the model wrote it; nobody has checked that there is such a function.
struct written_call {
    std::string name{};
    /// JSON of an object.
    std::string arguments{};
};

/// A parameter whose schema allows a string. Markup does not distinguish the number 5 from the text
/// "5": the value of any other parameter is parsed as JSON.
struct text_parameter {
    std::string function{};
    std::string name{};
    /// Then `null` is read as null instead of text.
    bool may_be_null = false;
};
using text_parameters = std::vector<text_parameter>;

/// Qwen3-Coder's `<function=f>`, with any number of `<parameter=p>value</parameter>`, and
/// `</function>`; one or more of these. Returns nothing if any of them cannot be read.
std::vector<written_call> read_function_markup(std::string_view text, const text_parameters& texts);

/// What stands between GLM's marks: a name, and `<arg_key>k</arg_key><arg_value>v</arg_value>`.
std::optional<written_call> read_key_value_markup(std::string_view text,
                                                  const text_parameters& texts);

/// What stands between Gemma's marks: `call:f{p:<|"|>text<|"|>,q:[1,2]}`.
std::optional<written_call> read_gemma_call(std::string_view text);

/// The call that gpt-oss ends with, in what it wrote for itself:
/// `… to=functions.f <|constrain|>json<|message|>{…}`.
struct channel_call {
    /// Where its header begins.
    std::size_t at = 0;
    std::string name{};
    std::string_view arguments{};
};
std::optional<channel_call> find_channel_call(std::string_view reasoning);

}  // namespace tandem::gateway
