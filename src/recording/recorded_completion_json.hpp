#pragma once

#include "wire/json/token_event.hpp"

#include <string>
#include <string_view>

// What the player of a recording reads of requests to /completion, and writes for a server.
namespace tandem::wire {

struct asked_completion {
    /// As JSON text, to be compared; empty if there is none.
    std::string prompt;
    /// Where that is one text: the text.
    std::string prompt_text;
    int id_slot = -1;
    /// -1 = no bound.
    int n_predict = -1;
};

/// A body that is no JSON asks for nothing.
asked_completion read_asked(std::string_view body);

/// An event of a stream as llama-server writes it, from what is known of it. `e` is no
/// error.
std::string event_bytes(const token_event& e);

// HTTP statuses, and the codes of errors in a stream: a request that no other try can mend, and one
// that the server does not know.
inline constexpr int refused = 400;
inline constexpr int not_offered = 501;

/// An error in the stream that ends a reply for good.
std::string refusal_bytes(std::string_view message);

/// The body of an answer with one of these statuses.
std::string error_answer(int http_status, std::string_view message);

}  // namespace tandem::wire
