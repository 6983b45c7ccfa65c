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
    /// The only slot that may be granted, if set.
    std::optional<int> required_slot{};
    /// The request runs in another process of the cluster, to which the granted slot is lent.
    bool is_from_elsewhere = false;
    /// The slot to grant only if no other slot is available.
    std::optional<int> avoid{};
};

inline bool is_for_listener(const slot_request& w) noexcept {
    return w.kind != request_kind::background;
}

struct grant {
    slots::ticket ticket = 0;
    int slot = 0;
    /// No other slot has been used since this one, whose guard is over.
    bool reused = false;
    /// How long the ticket waited for nothing but a guard.
    duration guard_wait{};
    /// The slot's last user, whose text the slot may hold; `nobody` if that is the ticket's own
    /// owner.
    owner_id previous = nobody;
};

/// When a waiting ticket may be granted a slot, unless a slot or the queue changes before.
struct due_grant {
    time_point at;
    slots::ticket ticket = no_ticket;
};

/// What the server still does on a slot after the client has seen the end of its request.
enum class server_slot_state {
    idle,        ///< nothing, or it stops within the time of a token
    maybe_busy,  ///< may still process the prompt: the request was cut before its first token
    unverified,  ///< probably idle; the slot is not prefilled before this is confirmed
    busy,        ///< still active long after it should have stopped: the slot is stuck
};

/// How the use of a slot ended.
struct release_info {
    server_slot_state server_state = server_slot_state::idle;
    /// If false, no request ran on the slot, so what is recorded about the slot stays.
    bool has_run = true;
    /// Whether this use starts the guard and makes the slot the last used one. False for a prefill
    /// that ended by itself, because the guard applies only to cut requests.
    bool is_use = true;
    /// The text that the slot holds, if known; empty = unknown.
    std::string holds{};
    /// When the owner is expected to need the text again; `never` if that is unknown.
    time_point needed_at = never;
    generated_so_far generated{};
    /// How many tokens of the prompt the slot already held, and how many the server evaluated.
    int cached = 0;
    int evaluated = 0;
};

struct wait_reason {
    /// Number of tickets ahead of this ticket.
    int before = 0;
    /// Slots of the scheduler, and how many of them are stuck on the server.
    int slots = 0;
    int stuck = 0;
    /// Idle slots that other processes have, and idle slots that must be checked before use.
    int lent = 0;
    int unchecked = 0;
    /// The maximum number of running requests, if only this maximum delays the ticket.
    std::optional<int> max_running{};
    /// An idle slot is being kept for turns; the ticket gets this slot when its due time is near.
    bool is_slot_kept = false;
    /// The slot whose guard is the only thing that delays the ticket, and the remaining time.
    /// nullopt if all slots are busy or promised to tickets ahead of this ticket.
    std::optional<int> guarded_slot{};
    duration guard_left{};
    /// The slot being prefilled for the ticket, if the ticket waits for the prefill.
    std::optional<int> prefilled_slot{};
};

/// Text for a log, such as "waits 500 ms for the reuse guard of slot 1".
std::string describe_wait(const wait_reason& w);

/// The most urgent request that waits because this process has too few slots.
struct slot_shortage {
    request_kind kind;
    time_point due;

    friend bool operator==(const slot_shortage&, const slot_shortage&) = default;
};

/// How often a slot was used by another owner than before, and the prompt tokens that the server
/// evaluated in these uses.
struct residence_changes {
    std::int64_t count = 0;
    std::int64_t evaluated = 0;
};

/// The other processes that use a server: their number, how many requests they run on average, and
/// how many conversations they have.
struct other_process_usage {
    int processes = 0;
    double running = 0;
    double conversations = 0;
};

}  // namespace tandem::slots
