#pragma once

#include "transport/curl_handles.hpp"
#include "transport/delivery_queue.hpp"
#include "transport/easy_pool.hpp"
#include "transport/loop_events.hpp"
#include "transport/multi_timer.hpp"
#include "transport/socket_table.hpp"
#include "transport/transfer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <unordered_set>

namespace tandem::transport {

/// Runs transfers on curl's multi interface, driven by the event loop.
class multi_loop final : public loop_events, public std::enable_shared_from_this<multi_loop> {
 public:
    multi_loop(const boost::asio::any_io_executor& executor, curl_options options);

    std::shared_ptr<transfer> make_transfer(http_request request, exchange_handler& handler);
    /// `t` must stay until cut().
    void start(transfer& t);
    /// Closes the connection of `t`, whose handler is not called any more.
    void cut(transfer& t) noexcept;

    bool idle() const noexcept { return running_.empty(); }
    /// Cuts all; nothing works after it.
    void shutdown() noexcept;

 private:
    static int socket_trampoline(CURL*, curl_socket_t fd, int what, void* self, void*) noexcept;
    static int timer_trampoline(CURLM*, long milliseconds, void* self) noexcept;

    void on_ready(curl_socket_t fd, int mask) override;
    void on_timeout() override;
    void drive(curl_socket_t fd, int mask);
    void collect_ended();

    std::optional<failure> launch(transfer& t);
    void finish(CURL* easy, CURLcode code);
    void detach(transfer& t) noexcept;
    std::optional<failure> outcome(const transfer& t, CURLcode code) const;
    failure_context context_of(const transfer& t) const;

    easy_pool pool_;
    std::shared_ptr<multi_timer> timer_;
    std::shared_ptr<delivery_queue> queue_;
    // curl closes sockets through the table until its handle is gone.
    socket_table sockets_;
    multi_handle multi_;
    std::unordered_set<transfer*> running_;
};

}  // namespace tandem::transport
