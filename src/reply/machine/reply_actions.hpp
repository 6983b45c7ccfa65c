#pragma once

#include "base/time.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <string>
#include <variant>
#include <vector>

// Actions that the reply machine requests from its shell.
namespace tandem::detail::action {

/// Find a server on which the reply can start, or continue after failover_cause(). Report
/// on_server_found() or on_no_server().
struct request_server {};
/// Request /detokenize for the ids of machine.next_prompt(). Report on_ids_checked().
struct check_ids {};
/// Request /tokenize for said().untokenized_prompt(). Report on_prompt_tokenized().
struct tokenize_prompt {};
/// Request /tokenize for pieces of text. Report on_tokens_recovered().
struct recover_tokens {
    std::vector<std::string> texts;
    /// A piece of text may be a special token.
    bool parse_special = false;
};
/// Request a slot from the scheduler. Report on_slot_granted().
struct request_slot {
    /// Whether the consumer is waiting. If not, the shell requests the slot only after a pending
    /// hand-over.
    bool is_urgent = true;
};
/// The due time of the slot request has changed; see speech_runs_out_at().
struct update_slot_request {};
/// A chunk has ended, and more text follows. If another reply needs the slot before
/// speech_runs_out_at(), call on_slot_wanted() immediately.
struct check_slot_demand {
    int slot;
};
/// Report the progress of the running request to the scheduler, which learns the server's speed.
struct record_progress {
    int slot;
    slots::generated_so_far generated{};
};
/// Withdraw the slot request.
struct cancel_slot_request {};
/// Send machine.next_prompt() to the slot, and report the answer.
struct send_request {
    int slot;
    /// Maximum number of tokens to generate; -1 = unbounded.
    int n_predict;
    /// Send no grammar: the server would apply it from its start, although the text is past that
    /// point.
    bool drops_grammar = false;
    /// Keep the model from ending its text.
    bool ignores_end = false;
};
/// Let the server parse the generated text on the slot. Report on_calls_parsed().
struct parse_calls {
    int slot;
};
/// Let the server generate and parse the calls again on the slot, after the text before them.
/// Report on_calls_parsed().
struct force_calls {
    int slot;
};
/// Report these calls, with which the reply ends, to the listener.
struct report_calls {
    std::vector<tool_call> calls;
};
/// Close the connection now, either to cut the request or because the request ended by itself.
struct close_connection {};
/// The request on the slot has ended; return the slot.
struct release_slot {
    int slot = 0;
    /// The shell sets `note.holds` according to `holds_bytes`.
    slots::release_info note{};
    /// The request was ended by closing its connection.
    bool was_cut = false;
    /// Erase the slot's cache first.
    bool erase = false;
    /// The slot holds this many bytes of machine.text(); 0 = its contents are unknown.
    std::size_t holds_bytes = 0;
};

/// The reply needs no more slots: other replies may use the slots that it had.
struct release_slot_ownership {};

// A prefill has its own slot and connection.

/// Request the next slot from the scheduler. Report on_warm_slot_granted(). Never urgent.
struct request_warm_slot {};
struct cancel_warm_slot_request {};
/// Send machine.warming_prompt() to the slot for one token, and report the answer.
struct send_warming_request {
    int slot;
};
struct close_warming_connection {};

/// Deliver the chunk to the waiting consumer.
struct hand_over {
    chunk value;
};
/// Log how late the server started the request: a server holds back a request while the request's
/// slot is busy.
struct log_late_start {
    int slot;
    duration held;
};
/// Log that the reply retries after machine.failover_cause().
struct log_failover {};
/// Report to the circuit breaker that the server exceeded this time limit.
struct report_timeout {
    errc code;
};
/// The request ran on a slot other than the requested one.
struct log_slot_mismatch {
    int asked;
    int used;
};
/// The reply has ended; machine.result() is final.
struct finish {};

using any_action =
    std::variant<request_server, check_ids, tokenize_prompt, recover_tokens, request_slot,
                 update_slot_request, check_slot_demand, record_progress, cancel_slot_request,
                 send_request, parse_calls, force_calls, report_calls, close_connection,
                 release_slot, release_slot_ownership, request_warm_slot, cancel_warm_slot_request,
                 send_warming_request, close_warming_connection, hand_over, log_late_start,
                 log_failover, report_timeout, log_slot_mismatch, finish>;

}  // namespace tandem::detail::action
