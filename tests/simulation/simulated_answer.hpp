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

/// The fault of an answer.
enum class fault {
    none,
    refused,        ///< the connection is refused
    loading,        ///< HTTP 503
    server_error,   ///< HTTP 500
    never_begins,   ///< no status arrives
    reset,          ///< the connection breaks
    stall,          ///< no more data arrives
    garbage,        ///< an event is unreadable
    half_event,     ///< the stream ends inside an event
    stream_error,   ///< the stream reports an error
    behind_the_end  ///< more events follow the final one
};

/// The fault of an answer, which occurs after `at` events.
struct answer_plan {
    fault what = fault::none;
    std::size_t at = 0;
    /// If true, the answer arrives as bytes in random pieces, which src/wire reads. If false, it
    /// arrives as events.
    bool as_bytes = false;
};

/// The error codes that a fault may cause.
std::vector<errc> errors_of(fault what);
/// The failure that a client reports if the fault prevents the answer: refused, loading or
/// server_error.
failure refusal(fault what);

/// The answer to one request to /completion, as it arrives.
class simulated_answer {
 public:
    simulated_answer(std::vector<wire::token_event> events, answer_plan plan);

    const answer_plan& plan() const noexcept { return plan_; }
    /// The next piece of the answer arrives.
    void arrive(rng& random);
    /// Reads an event from the data that has arrived. Returns false if there are no more events.
    bool read(wire::token_event& out);
    /// The failure that ended the answer, after all events were read. Empty if the answer has not
    /// ended or has ended with its final event.
    std::optional<failure> failed() const;
    /// Whether no more data will arrive.
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
