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

/// An answer, or a task for the engine whose answer comes later.
using reply_or_task = std::variant<http_reply, std::unique_ptr<task>>;

/// What becomes of a request.
struct routed {
    std::uint64_t number = 0;
    reply_or_task answer;
    /// A fault of sending that the answer meets.
    std::optional<mock::fault> fault;
    /// A fault kills the server instead.
    bool crash = false;
};

/// Writes each request into the journal, picks its fault, and finds who answers it.
class router {
 public:
    router(const options& o, engine& e, journal& j, fault_plan& f);

    routed route(const http_request& request, std::uint64_t connection, time_point now);

 private:
    using completion = std::variant<completion_request, api_error>;

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
    std::optional<time_point> loaded_at_;  ///< known from the first request on
};

}  // namespace tandem::mock
