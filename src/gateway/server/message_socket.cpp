#include "gateway/server/message_socket.hpp"

#include "loop/clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::redirect_error;
using asio::use_awaitable;

// Maximum number of queued messages before reading stops.
constexpr std::size_t max_waiting = 64;
// Maximum number of queued bytes before reading stops, because even a few messages may be long.
constexpr std::size_t max_waiting_bytes = std::size_t{1} << 20;
// One message of the client causes far fewer answers, so a client for which this many are queued
// has stopped reading.
constexpr std::size_t too_many_waiting = 1024;
constexpr duration handshake_limit = std::chrono::seconds(5);
// Larger buffers are released between messages.
constexpr std::size_t kept_buffer = 4096;

constexpr auto protocol_header = beast::http::field::sec_websocket_protocol;

// Not a coroutine: GCC 12 destroys aggregate temporaries in coroutines twice.
websocket::stream_base::timeout timeouts() {
    return {handshake_limit, websocket::stream_base::none(), false};
}

}  // namespace

std::optional<api_error> check_upgrade(const http_exchange& exchange, const gateway_core& core) {
    if (websocket::is_upgrade(exchange.request()))
        return core.is_stopping ? std::optional(make_stopping_error()) : std::nullopt;
    auto error = make_error(426, "upgrade_required",
                            "GET of this path opens a WebSocket: request an upgrade");
    error.upgrade = "websocket";
    return error;
}

message_socket::message_socket(client_stream stream, std::shared_ptr<gateway_core> core,
                               message_socket_options options)
    : core_(std::move(core)),
      stream_(std::move(stream)),
      options_(std::move(options)),
      line_(core_->options.voice, detail::now()),
      watch_timer_(core_->executor),
      writing_(core_->executor),
      reading_(core_->executor),
      wake_(core_->executor, asio::steady_timer::time_point::max()) {}

// --- lifetime

auto message_socket::run(const http_request& request) -> awaitable<bool> {
    if (!co_await accept(request)) co_return false;
    while (co_await read_message()) {
        process_message();
        co_await wait_until_sent();
    }
    end_reading();
    if (!close_) close_without_handshake();
    co_await wait_until_true([this] { return !is_finishing(); });
    watch_timer_.cancel();
    close_without_handshake();
    co_return true;
}

auto message_socket::accept(const http_request& request) -> awaitable<bool> {
    // An empty header offers no subprotocol, and the client would reject a response that selects
    // one.
    const bool has_protocols = !request[protocol_header].empty();
    stream_.next_layer().expires_never();
    stream_.set_option(timeouts());
    stream_.set_option(websocket::stream_base::decorator(
        [o = options_, has_protocols](websocket::response_type& answer) {
            answer.set(beast::http::field::server, "tandem");
            answer.set("X-Request-Id", o.request_id);
            // Selects only this protocol. A key that the client offers as another protocol must
            // not be echoed.
            if (has_protocols && !o.protocol.empty())
                answer.set(protocol_header, to_beast_view(o.protocol));
        }));
    // read_message() enforces the limit, because Beast would close without giving the reason.
    stream_.read_message_max(0);
    stream_.auto_fragment(false);
    stream_.control_callback([this](websocket::frame_type what, beast::string_view) {
        if (what != websocket::frame_type::close) line_.record_sign_of_life(detail::now());
    });
    boost::system::error_code ec;
    co_await stream_.async_accept(request, redirect_error(use_awaitable, ec));
    if (ec) co_return false;
    stage_ = stage::open;
    run_watchdog();
    write_next();  // the socket may have been closed during the handshake
    co_return true;
}

auto message_socket::wait_until_sent() -> awaitable<void> {
    co_await wait_until_true([this] {
        return (out_.size() <= max_waiting && out_bytes_ <= max_waiting_bytes) || is_closing();
    });
}

// Handlers that may make the condition true must call wake_.cancel(). Several coroutines may wait.
template <class Condition>
auto message_socket::wait_until_true(Condition is_so) -> awaitable<void> {
    while (!is_so()) {
        boost::system::error_code ignored;
        co_await wake_.async_wait(redirect_error(use_awaitable, ignored));
    }
}

// --- reading

// A message may be fragmented, with control frames in between. Stores at most one byte beyond the
// limit.
auto message_socket::read_message() -> awaitable<bool> {
    boost::system::error_code ec;
    bool is_begun = false;
    while (!ec && !close_) {
        const auto most = options_.max_message_bytes + 1 - buffer_.size();
        co_await stream_.async_read_some(buffer_, most, redirect_error(use_awaitable, ec));
        if (buffer_.size() > options_.max_message_bytes) give_up(voice_close::too_large);
        if (ec || stream_.is_message_done()) break;
        if (!std::exchange(is_begun, true)) set_deadline(reading_, core_->options.read_timeout);
    }
    reading_.cancel();
    co_return !ec && !close_;
}

void message_socket::process_message() {
    const auto* const bytes = static_cast<const char*>(buffer_.data().data());
    if (stream_.got_binary()) return give_up(voice_close::no_text);
    if (!line_.admit_message(detail::now())) return give_up(voice_close::too_many_messages);
    handle_message({bytes, buffer_.size()});
    buffer_.clear();
    if (buffer_.capacity() > kept_buffer) buffer_.shrink_to_fit();
}

// --- closing

void message_socket::give_up(voice_close why) {
    if (auto words = make_closing_message(why); !words.empty()) queue_message(std::move(words));
    begin_closing(why);
    end_reading();
}

void message_socket::end_reading() {
    if (!std::exchange(has_ended_reading_, true)) on_reading_ended();
}

void message_socket::begin_closing(voice_close why) {
    if (close_) return;
    close_ = why;
    wake_.cancel();
    write_next();
}

// Pending socket operations complete with an error.
void message_socket::close_without_handshake() {
    stream_.next_layer().close();
    wake_.cancel();
}

void message_socket::close_stream() {
    if (stage_ != stage::open) return;
    stage_ = stage::closing;
    const auto words = to_string(*close_);
    const websocket::close_reason why(static_cast<websocket::close_code>(*close_),
                                      to_beast_view(words));
    set_deadline(writing_, handshake_limit);
    stream_.async_close(why, [self = shared_from_this()](boost::system::error_code) {
        self->stage_ = stage::closed;
        self->writing_.cancel();
        self->wake_.cancel();
        self->close_without_handshake();
    });
}

// --- keep-alive

void message_socket::run_watchdog() {
    if (close_) return;
    switch (line_.check(detail::now())) {
        case voice_socket_watchdog::due::nothing:
            break;
        case voice_socket_watchdog::due::ping:
            ping();
            break;
        case voice_socket_watchdog::due::close:
            return give_up(voice_close::silent);
    }
    watch_timer_.expires_at(line_.next_check());
    watch_timer_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self) self->run_watchdog();
    });
}

// Does nothing while a ping is pending.
void message_socket::ping() {
    if (std::exchange(is_pinging_, true)) return;
    stream_.async_ping(
        {}, [self = shared_from_this()](boost::system::error_code) { self->is_pinging_ = false; });
}

// --- writing

void message_socket::queue_message(std::string text) {
    if (close_) return;
    out_bytes_ += text.size();
    out_.push_back(std::move(text));
    if (out_.size() > too_many_waiting) return close_without_handshake();
    write_next();
}

void message_socket::write_next() {
    if (is_writing_ || stage_ == stage::opening) return;
    if (out_.empty()) {
        if (close_) close_stream();
        return;
    }
    is_writing_ = true;
    set_deadline(writing_, core_->options.write_timeout);
    stream_.async_write(asio::buffer(out_.front()),
                        [self = shared_from_this()](boost::system::error_code ec, std::size_t) {
                            self->on_written(ec);
                        });
}

void message_socket::on_written(boost::system::error_code ec) {
    is_writing_ = false;
    writing_.cancel();
    wake_.cancel();
    if (ec) return close_without_handshake();
    out_bytes_ -= out_.front().size();
    out_.pop_front();
    write_next();
}

// Closes the socket, unless the timer is cancelled in time.
void message_socket::set_deadline(asio::steady_timer& timer, duration limit) {
    timer.expires_after(limit);
    timer.async_wait([weak = weak_from_this(), &timer](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self && timer.expiry() <= detail::now()) self->close_without_handshake();
    });
}

}  // namespace tandem::gateway
