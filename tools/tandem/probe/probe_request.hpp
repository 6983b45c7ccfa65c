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
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

struct probe_wish {
    std::span<const wire::token_id> prompt;
    int slot = 0;
    /// Tokens to generate, which the server does whatever the model says.
    int n_predict = 1;
    /// The connection is closed when so many have come; 0 = never.
    int cut_after = 0;
};

struct probe_answer {
    using time_point = std::chrono::steady_clock::time_point;

    failure fault{};
    double first_token_ms = -1;
    /// From the first token on.
    wire::timings timings{};
    int prompt_tokens = 0;
    /// Tokens that the server has counted in the last event read.
    int predicted = 0;
    /// Their ids, as far as they are known without a gap.
    std::vector<wire::token_id> tokens{};
    /// When the connection was closed by us; not set if the stream ended by itself.
    bool was_cut = false;
    time_point cut_at{};
};

struct probe_limits {
    duration first_token;
    duration between_tokens;
};

/// One request to /completion on a slot of one's choice, and what can be seen of it.
class probe_request final : public std::enable_shared_from_this<probe_request>,
                            private transport::exchange_handler {
 public:
    /// `transport` must outlive the object.
    probe_request(const boost::asio::any_io_executor& executor,
                  transport::http_transport& transport, probe_limits limits);

    /// `done` is called once, from the event loop or from cancel().
    void start(const probe_wish& wish, std::function<void(probe_answer)> done);
    /// Closes the connection and ends with `ec`, if it runs.
    void cancel(error_code ec);

 private:
    using clock = std::chrono::steady_clock;

    void on_status(int http_status) override { reader_.begin(http_status); }
    void on_data(std::string_view bytes) override;
    void on_end(error_code ec, const diagnostics& diag) override;

    void read(const wire::token_event& event);
    void keep_tokens(const wire::token_event& event);
    void arm(duration limit, errc code);
    void time_out(duration limit, errc code);
    void end(failure why);

    transport::http_transport& transport_;
    probe_limits limits_;
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
