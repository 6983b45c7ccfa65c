#pragma once

#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"

#include <array>
#include <optional>
#include <string_view>

// What distinguishes one question from another. Pure.
namespace tandem::gateway {

/// SHA-256 of all that makes the answer: the model, the messages or the prompt, and the options as
/// the server gets them, with tools and formats. Who asks, and how the answer is sent, is no part
/// of it.
using question_key = std::array<unsigned char, 32>;

/// Only what a server would answer the same again has a key: whole answers at temperature 0,
/// without further fields of sampling. `scope` parts those who are to share nothing; nothing also
/// where there is no digest to be had.
std::optional<question_key> key_of(const chat_request& request, std::string_view model,
                                   std::string_view scope = {});
std::optional<question_key> key_of(const completion_request& request, std::string_view model,
                                   std::string_view scope = {});

/// Whether a client's Cache-Control header wants an answer of its own: `no-cache` or `no-store`.
bool wants_own_answer(std::string_view cache_control);

}  // namespace tandem::gateway
