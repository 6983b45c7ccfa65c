#pragma once

#include "server/template_tags.hpp"
#include "text/chunks/tool_call_splitter.hpp"

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Learns how a model's chat template marks the text of a reply and its tool calls, from prompts
// that the server renders with the template. Pure.
namespace tandem::server {

/// The text with which a template begins a tool call, and the marks that it puts around the text of
/// a reply.
struct template_marks {
    /// The text with which a call begins, such as "<tool_call>" or "[TOOL_CALLS]". Empty if the
    /// template does not render calls, or if calls cannot be distinguished from other text.
    std::string opening{};
    /// The opening and the text after it, up to the function's name, such as
    /// "<tool_call>\n{\"name\": \"".
    std::string lead{};
    /// The marks around the words of each reply, with or without calls.
    text::reply_delimiters words{};
    /// Tokens in the marks and in a call that the server may hide unless `preserved_tokens` of a
    /// completion lists them. The model may not know all of these tokens.
    std::vector<std::string> preserved{};
    /// The model's end token, if known; see wire::parse_reply_body().
    std::optional<std::int32_t> end_token{};

    bool operator==(const template_marks&) const = default;
};

/// A conversation to be rendered by POST /apply-template.
struct template_probe {
    std::vector<chat_message> messages;
    /// Like generation_options::tools.
    std::string tools;
};

/// The prompts rendered from the probes. A prompt is empty if the template rejects the messages.
struct rendered_probes {
    std::string call_after_text;
    std::string call_without_text;
    std::string without_call;
};

/// The probes, in the order of the members of rendered_probes.
std::array<template_probe, 3> make_template_probes();

/// Finds the marks around the words of a reply in the prompt without a call. There are no marks if
/// the words are surrounded only by control tokens (which the server hides) and reasoning (which
/// the reply drops), or if the surrounding text is not distinctive. `end_token` is the text of the
/// model's end token, which no mark includes; empty if unknown.
template_marks find_word_marks(std::string_view without_call,
                               const std::vector<tag_pair>& reasoning,
                               std::string_view end_token = {});

/// Finds the mark before the function's name. The mark follows the assistant's text or, if there is
/// no text, the header of the assistant's message.
template_marks find_tool_call_mark(const rendered_probes& prompts,
                                   const std::vector<tag_pair>& reasoning,
                                   std::string_view end_token = {});

/// Whether `text`, which begins with the mark, continues like a call of this template, and not like
/// prose that merely contains the mark.
bool resembles_tool_call(const template_marks& marks, std::string_view text) noexcept;

}  // namespace tandem::server
