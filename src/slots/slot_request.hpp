#pragma once

#include "base/time.hpp"
#include "slots/generated_so_far.hpp"

#include "tandem/config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// What a slot_scheduler receives and returns.
namespace tandem::slots {

/// Identifies a request for a slot.
using ticket = std::uint64_t;

/// Returned by request() when it rejects a request.
inline constexpr ticket no_ticket = 0;

/// Identifies a reply or a conversation, which uses slots repeatedly and owns text in them.
using owner_id = std::uint64_t;
inline constexpr owner_id nobody = 0;

/// Maximum bytes of a prompt's text and of a slot's contents that are kept and compared.
constexpr std::size_t max_compared_bytes = 1u << 20;

/// Maximum number of waiting tickets of kind `turn`, unless the caller sets another limit.
constexpr std::size_t default_queue_limit = 1024;

/// What a request is for. All except `background` are live: a listener waits for the result.
enum class request_kind {
    turn,          ///< the first request of a reply
    continuation,  ///< a later request: the listener may still hear earlier text
    background,    ///< a prefill, which never gets a slot that another owner continues from
};

/// How much later a reply of this priority is treated as due; negative for `high`.
constexpr duration priority_shift(reply_priority p) noexcept {
    constexpr duration step = std::chrono::milliseconds(500);
    return p == reply_priority::high ? -step : p == reply_priority::low ? step : duration{};
}

struct slot_request {
    /// The prompt as text. The slot that holds the most of the prompt is best; if the prompt is
    /// empty, all slots are equal.
    std::string prompt{};
    /// The slot prefilled for this request; preferred if available and still prefilled.
    std::optional<int> warmed{};
    request_kind kind = request_kind::turn;
    /// When the listener has nothing left to hear. Live requests are served in the order of these
    /// times.
    time_point due{};
    /// Protects the slot from prefills for others until release_owner().
    owner_id owner = nobody;
    /// The owner has used a slot before. If no slot holds the owner's text, the server's host
    /// memory may hold it.
    bool was_here = false;
    /// Only this slot is acceptable.
    std::optional<int> required_slot{};
    /// The request runs in another process of the cluster, so a granted slot leaves this process.
    bool is_from_elsewhere = false;
    /// Used only if no other slot is available.
    std::optional<int> avoid{};
};

inline bool is_for_listener(const slot_request& w) noexcept {
    return w.kind != request_kind::background;
}

struct grant {
    slots::ticket ticket = 0;
    int slot = 0;
    /// The slot is the one used last, and has been idle for the whole guard.
    bool reused = false;
    /// How long the guard alone delayed the ticket.
    duration guard_wait{};
    /// The owner whose text the slot may hold: the slot's last user, if that is another owner.
    owner_id previous = nobody;
};

/// When a ticket may be granted a slot if nothing else changes.
struct due_grant {
    time_point at;
    slots::ticket ticket = no_ticket;
};

/// Activity of the server on a slot after the slot's request has ended for the client.
enum class server_slot_state {
    idle,        ///< none, or it stops within a token
    maybe_busy,  ///< may still process the prompt: the request was cut before its first token
    unverified,  ///< like idle, but not yet confirmed: no prefill before that
    busy,        ///< still active long after it should have stopped: the slot is stuck
};

/// How the use of a slot ended.
struct release_info {
    server_slot_state server_state = server_slot_state::idle;
    /// If false, the slot was returned without a request; its recorded state stays.
    bool has_run = true;
    /// If false, a prefill ended by itself, which the guard ignores. The guard and the slot used
    /// last stay unchanged.
    bool is_use = true;
    /// The text that the slot holds, if known; empty = unknown.
    std::string holds{};
    /// When the owner is expected to need the text again; `never` if that is unknown.
    time_point needed_at = never;
    generated_so_far generated{};
    /// Tokens of the prompt that the slot already held, and those that the server evaluated.
    int cached = 0;
    int evaluated = 0;
};

struct wait_reason {
    /// Number of tickets ahead of this ticket.
    int before = 0;
    /// Slots of the scheduler, and how many of them are stuck on the server.
    int slots = 0;
    int stuck = 0;
    /// Idle slots that this process does not have, and those that it must check before use.
    int lent = 0;
    int unchecked = 0;
    /// The maximum number of running requests, if only this maximum delays the ticket.
    std::optional<int> max_running{};
    /// An idle slot is being kept for turns; the ticket gets this slot when its listener needs it.
    bool is_slot_kept = false;
    /// The slot whose guard is the only thing that delays the ticket, and the remaining time.
    /// nullopt if all slots are busy or promised to tickets ahead of it.
    std::optional<int> guarded_slot{};
    duration guard_left{};
    /// The slot being prefilled for the ticket, if the ticket waits for the prefill.
    std::optional<int> prefilled_slot{};
};

/// The reason as text for a log: "waits 500 ms for the reuse guard of slot 1".
std::string describe_wait(const wait_reason& w);

/// The most urgent request that waits because this process has too few slots.
struct slot_shortage {
    request_kind kind;
    time_point due;

    friend bool operator==(const slot_shortage&, const slot_shortage&) = default;
};

/// How often a slot changed to another owner's conversation, and the prompt tokens that the server
/// evaluated for these changes.
struct residence_changes {
    std::int64_t count = 0;
    std::int64_t evaluated = 0;
};

/// The use of a server by other processes: how many processes there are, how many requests they run
/// on average, and how many conversations they have.
struct other_process_usage {
    int processes = 0;
    double running = 0;
    double conversations = 0;
};

}  // namespace tandem::slots
