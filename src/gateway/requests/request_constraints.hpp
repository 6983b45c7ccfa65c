#pragma once

#include "gateway/json/field_reader.hpp"
#include "gateway/requests/chat_request.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// Reads the constraints on the answer and its calls: `response_format`, `grammar`, `json_schema`,
/// `tools`, `tool_choice` and `parallel_tool_calls`.
bool read_constraints(field_reader& fields, const nlohmann::ordered_json& body, chat_request& out);

/// Checks the value of `tools`; `at` is its path.
bool check_tools(field_reader& fields, const nlohmann::ordered_json& tools, const std::string& at);

/// Serializes checked tools for the server; empty if there are none. Omits null fields, which some
/// clients send but the server cannot read.
std::string serialize_tools(nlohmann::ordered_json tools);

/// Reads the value of `tool_choice` as generation_options::tool_choice; `at` is its path.
bool read_tool_choice(field_reader& fields, const nlohmann::ordered_json& choice,
                      const std::string& at, std::string& out);

/// Reads the value of `response_format` as a JSON schema. The schema stays null if the answer may
/// be any text. `at` is the value's path.
bool read_response_format(field_reader& fields, const nlohmann::ordered_json& format,
                          const std::string& at, nlohmann::ordered_json& out);

/// Like read_constraints(), for a request without functions: reads `response_format`, `grammar` and
/// `json_schema`.
bool read_text_constraints(field_reader& fields, const nlohmann::ordered_json& body,
                           generation_options& out);

}  // namespace tandem::gateway
