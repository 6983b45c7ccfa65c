#pragma once

#include "transport/curl_handle_pool.hpp"
#include "transport/curl_handles.hpp"
#include "transport/curl_multi_timer.hpp"
#include "transport/delivery_queue.hpp"
#include "transport/event_loop_listener.hpp"
#include "transport/socket_table.hpp"
#include "transport/transfer.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <unordered_set>

namespace tandem::transport {

/// Runs transfers with curl's multi interface on the event loop.
class curl_multi_driver final : public event_loop_listener,
                                public std::enable_shared_from_this<curl_multi_driver> {
 public:
    curl_multi_driver(const boost::asio::any_io_executor& executor, curl_options options);

    std::shared_ptr<transfer> make_transfer(http_request request, exchange_handler& handler);
    /// `t` must stay valid until cut_transfer().
    void start(transfer& t);
    /// Closes the connection of `t`; its handler is not called again.
    void cut_transfer(transfer& t) noexcept;

    bool idle() const noexcept { return running_.empty(); }
    /// Cuts all transfers; the object is unusable afterwards.
    void shutdown() noexcept;

 private:
    static int socket_trampoline(CURL*, curl_socket_t fd, int what, void* self, void*) noexcept;
    static int timer_trampoline(CURLM*, long milliseconds, void* self) noexcept;

    void on_ready(curl_socket_t fd, int mask) override;
    void on_timeout() override;
    void connect_now();
    void perform_socket_action(curl_socket_t fd, int mask);
    void collect_finished_transfers();

    std::optional<failure> launch(transfer& t);
    void finish(CURL* easy, CURLcode code);
    void detach(transfer& t) noexcept;
    std::optional<failure> outcome(const transfer& t, CURLcode code) const;
    failure_context context_of(const transfer& t) const;

    curl_handle_pool pool_;
    std::shared_ptr<curl_multi_timer> timer_;
    std::shared_ptr<delivery_queue> queue_;
    // Must outlive the handle below: curl closes sockets through the table until the handle is
    // destroyed.
    socket_table sockets_;
    multi_handle multi_;
    std::unordered_set<transfer*> running_;
};

}  // namespace tandem::transport
