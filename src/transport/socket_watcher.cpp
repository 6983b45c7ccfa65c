#include "transport/socket_watcher.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>

#include <typeinfo>

namespace tandem::transport {

using boost::asio::any_io_executor;
using boost::asio::strand;
using boost::asio::posix::stream_descriptor;

namespace {

// If `executor` is a strand, returns this strand. Any other executor must run one handler at a
// time. The types are compared here, because target() of Boost 1.74 does not compare them.
strand<any_io_executor> strand_of(const any_io_executor& executor) {
    if (executor.target_type() == typeid(strand<any_io_executor>))
        return *executor.target<strand<any_io_executor>>();
    return strand<any_io_executor>(executor);
}

}  // namespace

socket_watcher::socket_watcher(const boost::asio::any_io_executor& executor, curl_socket_t fd,
                               event_loop_listener& events)
    : strand_(strand_of(executor)),
      descriptor_(strand_.get_inner_executor()),
      fd_(fd),
      events_(&events) {
    descriptor_.assign(fd, assign_error_);
}

socket_watcher::~socket_watcher() {
    close();
}

void socket_watcher::set_interest(int what) {
    wanted_ = what;
    arm_waits();
}

// Registers the socket again. Only this stops Asio from polling epoll for writability, which would
// wake the loop for each token.
void socket_watcher::drop_write_interest() {
    ++registration_;
    armed_ = 0;
    descriptor_.release();
    descriptor_.assign(fd_, assign_error_);
    arm_waits();
}

void socket_watcher::set_reading_held(bool held) {
    held_ = held;
    arm_waits();
}

int socket_watcher::allowed_interest() const noexcept {
    return held_ ? wanted_ & ~CURL_POLL_IN : wanted_;
}

void socket_watcher::close() {
    events_ = nullptr;
    if (descriptor_.is_open()) descriptor_.release();
}

void socket_watcher::arm_waits() {
    if (!events_) return;
    const int missing = allowed_interest() & ~armed_;
    if (missing & CURL_POLL_IN) wait(stream_descriptor::wait_read, CURL_CSELECT_IN);
    if (missing & CURL_POLL_OUT) wait(stream_descriptor::wait_write, CURL_CSELECT_OUT);
}

void socket_watcher::wait(stream_descriptor::wait_type type, int mask) {
    armed_ |= mask;
    auto done = [self = shared_from_this(), mask, r = registration_](const error_code& ec) {
        self->on_wait(ec, mask, r);
    };
    if (assign_error_)
        boost::asio::post(strand_, [done, ec = assign_error_] { done(ec); });
    else
        descriptor_.async_wait(type, boost::asio::bind_executor(strand_, std::move(done)));
}

void socket_watcher::on_wait(const error_code& ec, int mask, int registration) {
    if (!events_ || registration != registration_) return;
    armed_ &= ~mask;
    if (mask == CURL_CSELECT_OUT && !(wanted_ & mask)) return drop_write_interest();
    if (!(allowed_interest() & mask)) return;
    // Because curl does not request the same events again, the waits must be armed even if the
    // handler throws.
    try {
        events_->on_ready(fd_, ec ? CURL_CSELECT_ERR : mask);
    } catch (...) {
        arm_waits();
        throw;
    }
    // After an error, no wait is armed: on a socket that cannot be registered, each wait would fail
    // immediately for as long as curl tries to connect.
    if (!ec) arm_waits();
}

}  // namespace tandem::transport
