#pragma once

#include "server/template_tags.hpp"
#include "text/chunks/call_splitter.hpp"

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// How a model's chat template marks the words of a reply and its tool calls, learned from texts
// that the server renders with it. Pure.
namespace tandem::server {

/// The beginning of a tool call in the text of a reply, and the marks around its words.
struct template_marks {
    /// The text with which a call begins, such as "<tool_call>" or "[TOOL_CALLS]". Empty if the
    /// template does not show calls, or if a call is not distinguishable from other text.
    std::string opening{};
    /// The text from there to the function's name, such as "<tool_call>\n{\"name\": \"".
    std::string lead{};
    /// The marks around the words of each reply, with or without calls.
    text::text_marks words{};
    /// Tokens of the marks and of a call that the server may hide, for `preserved_tokens` of a
    /// completion. Some may be unknown to the model.
    std::vector<std::string> preserved{};
    /// The model's end token, if known; see wire::parse_reply_body().
    std::optional<std::int32_t> end_token{};

    bool operator==(const template_marks&) const = default;
};

/// A conversation to be rendered by POST /apply-template.
struct template_probe {
    std::vector<chat_message> messages;
    /// As generation_options::tools.
    std::string tools;
};

/// Prompts rendered from the probes; empty where the template rejects the messages.
struct rendered_probes {
    std::string call_after_text;
    std::string call_without_text;
    std::string without_call;
};

/// The probes, in the order of the members of rendered_probes.
std::array<template_probe, 3> make_template_probes();

/// Finds the marks around the words of a reply in the prompt without a call. Words have no marks if
/// only control tokens and reasoning are around them, which the server hides or a reply drops, or
/// if the template's text there is not distinctive. `end_token` is the text of the model's end
/// token, which no mark includes; empty if unknown.
template_marks find_word_marks(std::string_view without_call,
                               const std::vector<tag_pair>& reasoning,
                               std::string_view end_token = {});

/// Finds the mark between the assistant's text, or the header of its message, and the function's
/// name.
template_marks find_tool_call_mark(const rendered_probes& prompts,
                                   const std::vector<tag_pair>& reasoning,
                                   std::string_view end_token = {});

/// Whether `text`, which begins with the mark, continues like a call of this template. Prose with a
/// mark does not.
bool resembles_tool_call(const template_marks& mark, std::string_view text) noexcept;

}  // namespace tandem::server
