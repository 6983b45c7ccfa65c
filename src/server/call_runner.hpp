#pragma once

#include "transport/transport.hpp"

#include "tandem/config.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>

namespace tandem::server {

/// What came back from a call: an error of the transport, or a status and a body.
struct answer {
    error_code ec;
    diagnostics diag;
    int http_status = 0;
    std::string body;
};

/// Runs short calls, each with a time limit and a bound on the body. Not thread-safe.
class call_runner {
 public:
    using handler = std::function<void(answer)>;

    /// `transport` must outlive the object.
    call_runner(boost::asio::any_io_executor executor, transport::http_transport& transport,
                duration timeout);
    ~call_runner();

    /// `done` is called once, from the event loop or from cancel(); it may start and cancel calls.
    void run(transport::http_request request, handler done);
    /// Ends all calls with `ec`.
    void cancel(error_code ec);

 private:
    class running_call;

    void finished(const std::shared_ptr<running_call>& call);

    boost::asio::any_io_executor executor_;
    transport::http_transport& transport_;
    duration timeout_;
    std::set<std::shared_ptr<running_call>> running_;
};

}  // namespace tandem::server
