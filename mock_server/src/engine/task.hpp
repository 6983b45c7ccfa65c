#pragma once

#include "answers/completion_request.hpp"
#include "engine/events.hpp"
#include "engine/generation.hpp"
#include "engine/slot_pool.hpp"
#include "tandem_mock/fault.hpp"

#include <optional>
#include <string>

namespace tandem::mock {

/// The work that a request requires from the engine.
enum class task_kind {
    completion,
    // Actions on the slot request.id_slot.
    erase,
    save,
    restore,
};

enum class task_phase { waiting, prompt, generating };

/// A request in the engine.
struct task {
    task_id id = 0;
    task_kind kind = task_kind::completion;
    completion_request request;
    std::string file;                  ///< for save and restore
    std::optional<mock::fault> fault;  ///< only a fault that the engine plays
    bool cancellable = true;           ///< ends when its client disconnects

    std::optional<time_point> disconnected_at;  ///< when the client's close arrived
    bool cancelled = false;                     ///< the close was noticed

    task_phase phase = task_phase::waiting;
    mock::slot* slot = nullptr;
    progress_counts counts;
    std::optional<generation> output;
    std::optional<token_id> last_token;  ///< sampled, but not in the slot yet
    time_point since;                    ///< start of the phase
    time_point last_sent;
    std::optional<time_point> stalled_until;

    /// The injected fault makes the server notice a disconnect late.
    bool ignores_client_close() const { return fault && fault->kind == fault_kind::unnoticed_cut; }
    bool is_stalled(time_point now) const { return stalled_until && now < *stalled_until; }
};

/// Output for a request's connection. All kinds except begin, event and ping end their task.
enum class output_kind {
    begin,        ///< a slot accepted the task: send the stream's headers
    event,        ///< payload: a server-sent event
    ping,         ///< payload: an SSE comment
    final_event,  ///< payload: the last event of a complete stream
    error_event,  ///< payload: the last event of a failed stream
    reply,        ///< payload: JSON of a non-streamed response
    refusal,      ///< payload: JSON of an error before any output, with `status`
    cancelled,    ///< no further output: the client has disconnected
    crash,        ///< the server dies
};

struct engine_output {
    task_id task = 0;
    output_kind kind = output_kind::event;
    std::string payload;
    int predicted = 0;  ///< tokens generated so far
    int status = 200;
};

}  // namespace tandem::mock
