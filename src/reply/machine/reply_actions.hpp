#pragma once

#include "base/time.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"

#include <string>
#include <variant>
#include <vector>

// What the reply machine asks its shell to do.
namespace tandem::detail::action {

/// Ask for a server where the reply can start, or continue after lost_to(), and call server_found()
/// or no_server().
struct seek_server {};
/// Ask /detokenize what the ids of machine.next_prompt() say, and call ids_checked().
struct check_ids {};
/// Ask /tokenize for the ids of said().unknown_prompt(), and call prompt_tokenized().
struct tokenize_prompt {};
/// Ask /tokenize for the ids of pieces of text, and call tokens_recovered().
struct recover_tokens {
    std::vector<std::string> texts;
};
/// Ask the scheduler for a slot, and call slot_granted().
struct want_slot {
    /// The consumer waits for what it brings; else what the consumer gets now comes first.
    bool is_urgent = true;
};
/// The wish for a slot has become more urgent: slot_priority() is higher.
struct raise_wish {};
/// Take the wish for a slot back.
struct forget_slot {};
/// Send machine.next_prompt() to the slot, and report the answer.
struct send_request {
    int slot;
    /// Tokens to generate at most; -1 = no bound.
    int n_predict;
};
/// Close the connection now: the cut, or the end of a request that ended by itself.
struct close_connection {};
/// The slot's request has ended; give the slot back.
struct release_slot {
    int slot = 0;
    slots::server_side side = slots::server_side::idle;
    /// It was ended by closing its connection.
    bool cut = false;
    /// Empty the slot's cache first.
    bool erase = false;
    /// The guard counts from now.
    bool is_use = true;
    /// The slot holds so many bytes of machine.text(); 0 = what it holds is not known.
    std::size_t holds_bytes = 0;
};

/// No more slots are wanted: others may have what the reply used.
struct leave_slots {};

// Prefilling has a slot and a connection of its own.

/// Ask the scheduler for the slot that comes next, and call warm_slot_granted(). Never urgent.
struct want_warm_slot {};
struct forget_warm_slot {};
/// Send machine.warming_prompt() to the slot for one token, and report the answer.
struct send_warming {
    int slot;
};
struct close_warming {};

/// Give the chunk to the consumer, who waits for it.
struct hand_over {
    chunk value;
};
/// Log that the server began the request so late: it holds requests back while their slot is busy.
struct tell_held_back {
    int slot;
    duration held;
};
/// Log that the reply tries again after machine.lost_to().
struct tell_lost {};
/// Tell the circuit breaker that the server let this limit pass.
struct tell_overtime {
    errc code;
};
/// The request ran on another slot than it asked for.
struct tell_other_slot {
    int asked;
    int used;
};
/// The reply has ended; machine.result() is final.
struct finish {};

using any =
    std::variant<seek_server, check_ids, tokenize_prompt, recover_tokens, want_slot, raise_wish,
                 forget_slot, send_request, close_connection, release_slot, leave_slots,
                 want_warm_slot, forget_warm_slot, send_warming, close_warming, hand_over,
                 tell_held_back, tell_lost, tell_overtime, tell_other_slot, finish>;

}  // namespace tandem::detail::action
