#pragma once

#include "base/failure.hpp"
#include "transport/transport.hpp"
#include "wire/stream/completion_reader.hpp"

#include "tandem/duration.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tandem::command {

struct probe_request_options {
    std::span<const wire::token_id> prompt;
    int slot = 0;
    /// Exact number of tokens to generate; the end-of-sequence token is ignored.
    int n_predict = 1;
    /// Close the connection after this many tokens; 0 = never.
    int cut_after = 0;
};

struct probe_answer {
    using time_point = std::chrono::steady_clock::time_point;

    failure fault{};
    double first_token_ms = -1;
    /// Valid once a token has arrived.
    wire::timings timings{};
    int prompt_tokens = 0;
    /// The server's token count in the last event.
    int predicted = 0;
    /// The ids of the first tokens, up to the first id that the server did not send.
    std::vector<wire::token_id> tokens{};
    /// Whether the client closed the connection, at `cut_at`; false if the stream ended by itself.
    bool was_cut = false;
    time_point cut_at{};
};

struct probe_timeouts {
    duration first_token;
    duration between_tokens;
};

/// One measured request to /completion on a given slot.
class probe_request final : public std::enable_shared_from_this<probe_request>,
                            private transport::exchange_handler {
 public:
    /// `transport` must outlive this object.
    probe_request(const boost::asio::any_io_executor& executor,
                  transport::http_transport& transport, probe_timeouts limits);

    /// Calls `done` once, from the event loop or from cancel().
    void start(const probe_request_options& options, std::function<void(probe_answer)> done);
    /// Closes the connection and completes with `ec`, if the request is active.
    void cancel(error_code ec);

 private:
    using clock = std::chrono::steady_clock;

    void on_status(int http_status) override { reader_.begin(http_status); }
    void on_data(std::string_view bytes) override;
    void on_end(error_code ec, const diagnostics& diag) override {
        end(reader_.make_end_failure(ec, diag));
    }

    void read(const wire::token_event& event);
    void keep_tokens(const wire::token_event& event);
    void start_timer(duration limit, errc code);
    void fail_with_timeout(duration limit, errc code);
    void end(failure why);

    transport::http_transport& transport_;
    probe_timeouts limits_;
    boost::asio::steady_timer timer_;
    std::function<void(probe_answer)> done_;
    std::unique_ptr<transport::exchange> exchange_;
    wire::completion_reader reader_;
    wire::token_event event_;
    probe_answer answer_;
    clock::time_point started_{};
    int cut_after_ = 0;
    bool all_ids_known_ = true;
};

}  // namespace tandem::command
