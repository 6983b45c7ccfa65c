#pragma once

#include "base/failure.hpp"
#include "simulation/simulated_world.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/completion_reader.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

/// What goes wrong with an answer.
enum class fault {
    none,
    refused,        ///< nobody takes the connection
    loading,        ///< HTTP 503
    server_error,   ///< HTTP 500
    never_begins,   ///< no status comes
    reset,          ///< the connection breaks
    stall,          ///< nothing comes any more
    garbage,        ///< an event that cannot be read
    half_event,     ///< the stream ends inside an event
    stream_error,   ///< an error in the stream
    behind_the_end  ///< further events behind the final one
};

/// Where it goes wrong: before the event with this number.
struct answer_plan {
    fault what = fault::none;
    std::size_t at = 0;
    /// The bytes come in random pieces, and src/wire reads them; else the events come as such.
    bool as_bytes = false;
};

/// Error codes that a fault gives.
std::vector<errc> errors_of(fault what);
/// What a client makes of a server that answers nothing but this.
failure refusal(fault what);

/// The answer to one request to /completion, as it arrives.
class simulated_answer {
 public:
    simulated_answer(std::vector<wire::token_event> events, answer_plan plan);

    const answer_plan& plan() const noexcept { return plan_; }
    /// The next piece of it comes.
    void arrive(rng& random);
    /// Reads an event of what came; false if there is no more.
    bool read(wire::token_event& out);
    /// How the answer ended, after all was read; nothing if it did not, or by its final event.
    std::optional<failure> failed() const;
    /// Nothing more will come.
    bool is_over() const noexcept;

 private:
    bool read_event(wire::token_event& out);
    failure break_off() const;

    std::vector<wire::token_event> events_;
    answer_plan plan_;
    std::size_t arrived_ = 0;  // events, or bytes
    std::size_t read_ = 0;     // events
    std::string bytes_;
    wire::completion_reader reader_;
};

}  // namespace tandem::test
