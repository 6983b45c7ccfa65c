#include "gateway/server/voice_websocket.hpp"

#include "gateway/sessions/voice_session.hpp"
#include "gateway/voice/voice_message_writer.hpp"
#include "gateway/voice/voice_protocol.hpp"
#include "gateway/voice/voice_turn_machine.hpp"
#include "loop/clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/websocket/rfc6455.hpp>

#include <string_view>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;
using asio::redirect_error;
using asio::use_awaitable;

// Maximum number of queued answers before reading stops.
constexpr std::size_t most_waiting = 64;
// One message causes far fewer answers, so this client has stopped reading.
constexpr std::size_t too_many_waiting = 1024;
constexpr duration handshake_limit = std::chrono::seconds(5);
// Larger buffers are released between messages.
constexpr std::size_t kept_buffer = 4096;

constexpr auto protocol_header = beast::http::field::sec_websocket_protocol;

api_error upgrade_refused(int status, std::string code, std::string message) {
    return {.status = status,
            .type = "invalid_request_error",
            .code = std::move(code),
            .message = std::move(message)};
}

api_error no_upgrade() {
    auto e =
        upgrade_refused(426, "upgrade_required", "/v1/voice is a WebSocket: request an upgrade");
    e.upgrade = "websocket";
    return e;
}

// Not a coroutine: GCC 12 destroys aggregate temporaries in coroutines twice.
websocket::stream_base::timeout timeouts() {
    return {handshake_limit, websocket::stream_base::none(), false};
}

}  // namespace

std::optional<api_error> check_voice_upgrade(const http_exchange& exchange,
                                             const gateway_core& core) {
    if (!websocket::is_upgrade(exchange.request())) return no_upgrade();
    const auto protocols = exchange.header("Sec-WebSocket-Protocol");
    if (!protocols.empty() && !offers_voice_protocol(protocols))
        return upgrade_refused(400, "unknown_protocol",
                               "offer the subprotocol " + std::string(voice_protocol));
    if (core.is_stopping) return make_stopping_error();
    return std::nullopt;
}

voice_websocket::voice_websocket(client_stream stream, std::shared_ptr<gateway_core> core,
                                 voice_caller caller)
    : core_(std::move(core)),
      stream_(std::move(stream)),
      caller_(std::move(caller)),
      line_(core_->options.voice, detail::now()),
      number_(core_->voices.add(*this)),
      look_(core_->executor),
      writing_(core_->executor),
      reading_(core_->executor),
      wake_(core_->executor) {}

voice_websocket::~voice_websocket() {
    core_->voices.remove(number_);
}

// --- lifetime

auto voice_websocket::run(const http_request& request) -> awaitable<bool> {
    if (!co_await accept(request)) co_return false;
    while (co_await read_message()) {
        handle_message();
        co_await wait_until_true(
            [this] { return out_.size() <= most_waiting || close_ || !is_connected(); });
    }
    detach_session();
    if (!close_) close_hard();
    co_await wait_until_true([this] { return !is_finishing(); });
    look_.cancel();
    close_hard();
    co_return true;
}

auto voice_websocket::accept(const http_request& request) -> awaitable<bool> {
    // An empty header offers no subprotocol, and clients reject a response that selects one.
    const bool has_protocols = !request[protocol_header].empty();
    stream_.next_layer().expires_never();
    stream_.set_option(timeouts());
    stream_.set_option(websocket::stream_base::decorator(
        [id = caller_->request_id, has_protocols](websocket::response_type& answer) {
            answer.set(beast::http::field::server, "tandem");
            answer.set("X-Request-Id", id);
            // Selects this protocol only: the key, possibly offered as well, must not be repeated.
            if (has_protocols)
                answer.set(protocol_header,
                           beast::string_view(voice_protocol.data(), voice_protocol.size()));
        }));
    stream_.read_message_max(core_->options.voice.message_bytes);
    stream_.auto_fragment(false);
    stream_.control_callback([this](websocket::frame_type what, beast::string_view) {
        if (what != websocket::frame_type::close) line_.heard(detail::now());
    });
    boost::system::error_code ec;
    co_await stream_.async_accept(request, redirect_error(use_awaitable, ec));
    if (ec) co_return false;
    is_open_ = true;
    run_watchdog();
    write_next();  // may have been closed during the handshake
    co_return true;
}

// Handlers that may make the condition true must call wake_.cancel().
template <class Condition>
auto voice_websocket::wait_until_true(Condition is_so) -> awaitable<void> {
    while (!is_so()) {
        boost::system::error_code ignored;
        wake_.expires_at(asio::steady_timer::time_point::max());
        co_await wake_.async_wait(redirect_error(use_awaitable, ignored));
    }
}

// --- reading

// A message may be fragmented, with control frames in between.
auto voice_websocket::read_message() -> awaitable<bool> {
    boost::system::error_code ec;
    bool is_begun = false;
    while (!ec && !close_) {
        co_await stream_.async_read_some(buffer_, 0, redirect_error(use_awaitable, ec));
        if (ec || stream_.is_message_done()) break;
        if (!std::exchange(is_begun, true)) set_message_deadline();
    }
    reading_.cancel();
    co_return !ec && !close_;
}

void voice_websocket::set_message_deadline() {
    reading_.expires_after(core_->options.read_timeout);
    reading_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self && self->reading_.expiry() <= detail::now()) self->close_hard();
    });
}

void voice_websocket::handle_message() {
    const auto* const bytes = static_cast<const char*>(buffer_.data().data());
    const std::string_view text(bytes, buffer_.size());
    auto read = stream_.got_binary()
                    ? voice_socket_watchdog::reading(voice_socket_watchdog::read_binary())
                    : line_.read(detail::now(), text);
    buffer_.clear();
    if (buffer_.capacity() > kept_buffer) buffer_.shrink_to_fit();
    if (const auto* const why = std::get_if<voice_socket_watchdog::closing>(&read))
        return give_up(*why);
    if (auto* const no = std::get_if<voice_socket_watchdog::refusal>(&read))
        return send(std::move(no->answer));
    auto& message = std::get<voice_message>(read);
    if (const auto session = session_.lock()) return session->deliver(number_, std::move(message));
    auto* const first = std::get_if<voice::start>(&message);
    if (first && caller_)
        return core_->voices.start(number_, *std::exchange(caller_, std::nullopt),
                                   std::move(*first));
    send(no_session(get_turn_name(message)));
}

void voice_websocket::on_started(std::weak_ptr<voice_session> session) {
    session_ = std::move(session);
}

void voice_websocket::on_refused(voice_caller caller, voice_error why) {
    caller_ = std::move(caller);
    send(error_text(why));
}

// --- closing

void voice_websocket::give_up(const voice_socket_watchdog::closing& why) {
    if (!why.last_words.empty()) send(why.last_words);
    close(why.why);
    detach_session();
}

void voice_websocket::detach_session() {
    if (const auto session = std::exchange(session_, {}).lock()) session->drop(number_);
}

void voice_websocket::drain() {
    if (session_.expired()) close(voice_close::restarting);
}

void voice_websocket::close(voice_close why) {
    if (close_) return;
    close_ = why;
    wake_.cancel();
    write_next();
}

// Pending socket operations complete with an error.
void voice_websocket::close_hard() {
    stream_.next_layer().close();
    wake_.cancel();
}

void voice_websocket::begin_close() {
    if (std::exchange(is_closing_, true)) return;
    const auto words = to_string(*close_);
    const websocket::close_reason why(static_cast<websocket::close_code>(*close_),
                                      beast::string_view(words.data(), words.size()));
    set_write_deadline(handshake_limit);
    stream_.async_close(why, [self = shared_from_this()](boost::system::error_code) {
        self->is_closed_ = true;
        self->writing_.cancel();
        self->wake_.cancel();
        self->close_hard();
    });
}

// --- keep-alive

void voice_websocket::run_watchdog() {
    if (close_) return;
    switch (line_.check(detail::now())) {
        case voice_socket_watchdog::due::nothing:
            break;
        case voice_socket_watchdog::due::ping:
            ping();
            break;
        case voice_socket_watchdog::due::close:
            return give_up({voice_close::silent});
    }
    look_.expires_at(line_.next_check());
    look_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self) self->run_watchdog();
    });
}

// A pending ping suffices.
void voice_websocket::ping() {
    if (std::exchange(is_pinging_, true)) return;
    stream_.async_ping(
        {}, [self = shared_from_this()](boost::system::error_code) { self->is_pinging_ = false; });
}

// --- writing

void voice_websocket::send(std::string text) {
    if (close_) return;
    out_.push_back(std::move(text));
    if (out_.size() > too_many_waiting) return close_hard();
    write_next();
}

void voice_websocket::write_next() {
    if (is_writing_ || !is_open_) return;
    if (out_.empty()) {
        if (close_) begin_close();
        return;
    }
    is_writing_ = true;
    set_write_deadline(core_->options.write_timeout);
    stream_.async_write(asio::buffer(out_.front()),
                        [self = shared_from_this()](boost::system::error_code ec, std::size_t) {
                            self->written(ec);
                        });
}

void voice_websocket::written(boost::system::error_code ec) {
    is_writing_ = false;
    writing_.cancel();
    wake_.cancel();
    if (ec) return close_hard();
    out_.pop_front();
    write_next();
}

// Limits a write, or the wait for the peer's close frame.
void voice_websocket::set_write_deadline(duration limit) {
    writing_.expires_after(limit);
    writing_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
        const auto self = weak.lock();
        if (!ec && self && self->writing_.expiry() <= detail::now()) self->close_hard();
    });
}

}  // namespace tandem::gateway
