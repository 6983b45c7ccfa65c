#pragma once

#include "engine/engine.hpp"
#include "faults/fault_plan.hpp"
#include "faults/journal.hpp"
#include "http/http_message.hpp"
#include "tandem_mock/options.hpp"

#include <memory>
#include <optional>
#include <variant>

namespace tandem::mock {

/// A response, or a task for the engine, which responds later.
using reply_or_task = std::variant<http_reply, std::unique_ptr<task>>;

/// Result of routing a request.
struct routing_result {
    std::uint64_t number = 0;
    reply_or_task answer;
    /// A fault to play while sending the response.
    std::optional<mock::fault> fault;
    /// Whether a fault kills the server instead of letting it respond.
    bool crash = false;
};

/// Records each request in the journal, selects its fault and dispatches it.
class router {
 public:
    router(const options& o, engine& e, journal& j, fault_plan& f);

    routing_result route(const http_request& request, std::uint64_t connection, time_point now);

 private:
    std::optional<http_reply> refuse(const http_request& r, time_point now) const;
    bool has_key(const http_request& r) const;
    http_reply answer_now(const http_request& r, time_point now);
    std::optional<http_reply> get(const http_request& r, time_point now);
    std::optional<http_reply> post(const http_request& r);
    std::unique_ptr<task> make_task(const http_request& r, completion_request&& wanted,
                                    std::uint64_t number, const std::optional<fault>& f) const;
    reply_or_task act_on_slot(const http_request& r, std::uint64_t number) const;

    const options& options_;
    engine& engine_;
    journal& journal_;
    fault_plan& faults_;
    std::optional<time_point> loaded_at_;  ///< set by the first request
};

}  // namespace tandem::mock
