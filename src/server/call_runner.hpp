#pragma once

#include "transport/transport.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace tandem::server {

/// The outcome of a call: a transport error, or a status and a body.
struct http_response {
    error_code ec;
    diagnostics diag;
    int http_status = 0;
    std::string body;
};

/// Identifies a running call. Ids are not reused.
using call_id = std::uint64_t;
inline constexpr call_id no_call = 0;

/// Runs short calls, each with a time limit and a limit on the body (wire::max_answer_bytes). Not
/// thread-safe. The destructor cuts the running calls, and drops their handlers without calling
/// them; call cancel() first if anything waits for their results.
class call_runner {
 public:
    using handler = std::function<void(http_response)>;

    /// `transport` must outlive this object.
    call_runner(boost::asio::any_io_executor executor, transport::http_transport& transport,
                duration timeout);
    ~call_runner();

    /// Calls `done` once, from the event loop or from cancel(); `done` may start and cancel calls.
    /// `limit` replaces the general time limit.
    call_id run(transport::http_request request, handler done, std::optional<duration> limit = {});
    /// Ends one call with `ec` if it is running.
    void cancel(call_id id, error_code ec);
    /// Ends all calls with `ec`, including calls that handlers start during cancellation.
    void cancel(error_code ec);

 private:
    class running_call;

    boost::asio::any_io_executor executor_;
    transport::http_transport& transport_;
    duration timeout_;
    std::map<call_id, std::shared_ptr<running_call>> running_;
    call_id last_ = no_call;
};

}  // namespace tandem::server
