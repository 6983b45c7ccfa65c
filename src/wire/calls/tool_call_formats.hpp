#pragma once

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Reads tool calls in the formats that models write, and the functions that requests offer.
namespace tandem::wire {

/// The names of the functions in generation_options::tools; empty names are omitted. Empty if
/// `tools` is not a list of objects.
std::vector<std::string> read_function_names(std::string_view tools);

/// A JSON schema for a reply: one call, as an object of `name` and `parameters`, or, unless a call
/// is required, an answer as described by `json_schema`. Precondition: uses_call_schema(options).
std::string make_call_schema(const generation_options& options);

/// Reads the call, without an id, from text that matches this schema; nullopt if the text is an
/// answer, or incomplete.
std::optional<tool_call> decode_json_tool_call(std::string_view text,
                                               const generation_options& options);

/// Finds calls that are written as JSON in formats that the server does not parse: objects of a
/// name and arguments, and names followed by arguments. The calls have no ids. Returns an empty
/// list if a call is incomplete, or names a function that may not be called.
std::vector<tool_call> find_json_tool_calls(std::string_view text,
                                            const generation_options& options);

/// Finds calls that are written as elements: <invoke name="f"><parameter name="x">1</parameter>
/// </invoke>. The tags may have a prefix, as in <atem:invoke …>. The calls have no ids. Returns an
/// empty list if an element is incomplete, or names a function that may not be called.
std::vector<tool_call> find_invoke_element_calls(std::string_view text,
                                                 const generation_options& options);

/// Corrects the calls that the server parsed from `text`: the server may overlook all calls that
/// are written as JSON, and some of several calls that are written as elements. Elements inside the
/// arguments of a parsed call are not calls.
std::vector<tool_call> correct_parsed_calls(std::vector<tool_call> parsed, std::string_view text,
                                            const generation_options& options);

/// The text with which gpt-oss begins a call.
inline constexpr std::string_view channel_call_mark = "to=functions.";
/// The call at the end of gpt-oss's reasoning, without an id. The model writes calls to a separate
/// channel, which a reply reads as reasoning. nullopt if there is no complete call.
std::optional<tool_call> decode_gpt_oss_call(std::string_view reasoning);
/// The offset at which the last call in the reasoning begins; npos if there is none.
std::size_t find_gpt_oss_call(std::string_view reasoning) noexcept;

}  // namespace tandem::wire
