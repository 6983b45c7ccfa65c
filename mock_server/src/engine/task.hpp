#pragma once

#include "answers/completion_request.hpp"
#include "engine/events.hpp"
#include "engine/generation.hpp"
#include "engine/slot_pool.hpp"
#include "tandem_mock/fault.hpp"

#include <optional>
#include <string>

namespace tandem::mock {

/// What a request wants of the engine.
enum class task_kind {
    completion,
    // Of the slot request.id_slot.
    erase,
    save,
    restore,
};

enum class task_phase { waiting, prompt, generating };

/// One request on its way through the engine.
struct task {
    task_id id = 0;
    task_kind kind = task_kind::completion;
    completion_request request;
    std::string file;                  ///< of save and restore
    std::optional<mock::fault> fault;  ///< one of those the engine plays
    bool cancellable = true;           ///< ends when its client goes

    std::optional<time_point> gone_at;  ///< when the client's close arrived
    bool cancelled = false;             ///< … and was noticed

    task_phase phase = task_phase::waiting;
    mock::slot* slot = nullptr;
    progress_counts counts;
    std::optional<generation> output;
    std::optional<token_id> last_token;  ///< sampled, not in the slot yet
    time_point since;                    ///< of the phase
    time_point last_sent;
    std::optional<time_point> stalled_until;

    /// Whether its fault is that the server is late to notice the client's close.
    bool is_blind() const { return fault && fault->kind == fault_kind::unnoticed_cut; }
    bool is_stalled(time_point now) const { return stalled_until && now < *stalled_until; }
};

/// What the engine has to tell a request's connection. All kinds but begin, event and ping are
/// the last ones of their task.
enum class output_kind {
    begin,        ///< the slot took the task: the headers of the stream
    event,        ///< payload: a server-sent event
    ping,         ///< payload: a comment
    final_event,  ///< payload: the last event of a whole stream
    error_event,  ///< payload: the last event of a broken one
    reply,        ///< payload: JSON of an answer in one piece
    refusal,      ///< payload: JSON of an error before any answer, with `status`
    cancelled,    ///< nothing more comes: the client has gone
    crash,        ///< the server dies now
};

struct engine_output {
    task_id task = 0;
    output_kind kind = output_kind::event;
    std::string payload;
    int predicted = 0;  ///< tokens generated when this came
    int status = 200;
};

}  // namespace tandem::mock
