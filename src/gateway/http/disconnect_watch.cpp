#include "gateway/http/disconnect_watch.hpp"

#include <chrono>
#include <poll.h>
#include <utility>

namespace tandem::gateway {

// Shared with the handlers, which may run after the watch was stopped. They do nothing if `gone` is
// empty, because the socket may no longer exist.
struct disconnect_watch::state {
    explicit state(boost::asio::ip::tcp::socket& s) : socket(&s), timer(s.get_executor()) {}

    boost::asio::ip::tcp::socket* socket;
    boost::asio::steady_timer timer;
    std::function<void()> gone;
};

namespace {

bool is_closed(int descriptor) noexcept {
    if (descriptor < 0) return true;  // closed locally; poll() would ignore the descriptor
    pollfd p{.fd = descriptor, .events = POLLRDHUP, .revents = 0};
    return ::poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

}  // namespace

disconnect_watch::disconnect_watch(boost::asio::ip::tcp::socket& socket)
    : state_(std::make_shared<state>(socket)) {}

void disconnect_watch::start(std::function<void()> gone) {
    const bool is_new = !state_->gone;
    state_->gone = std::move(gone);
    if (is_new) wait_until_readable(state_);
}

void disconnect_watch::stop() noexcept {
    if (!std::exchange(state_->gone, nullptr)) return;
    state_->timer.cancel();
    boost::system::error_code ignored;
    state_->socket->cancel(ignored);
}

// A socket becomes readable at the end of the stream, but also when a pipelined request arrives.
void disconnect_watch::wait_until_readable(const std::shared_ptr<state>& s) {
    s->socket->async_wait(boost::asio::socket_base::wait_read,
                          [s](boost::system::error_code) { check_connection(s); });
}

void disconnect_watch::check_connection(const std::shared_ptr<state>& s) {
    // Unread bytes keep the socket readable, so another wait would end at once. A timer checks the
    // socket from now on.
    constexpr auto pause = std::chrono::milliseconds(20);
    if (!s->gone) return;
    if (is_closed(s->socket->native_handle())) return std::exchange(s->gone, nullptr)();
    s->timer.expires_after(pause);
    s->timer.async_wait([s](boost::system::error_code ec) {
        if (!ec) check_connection(s);
    });
}

}  // namespace tandem::gateway
