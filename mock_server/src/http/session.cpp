#include "http/session.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>

namespace tandem::mock {
namespace {

// If a client does not read its response, its connection is reset at this limit.
constexpr std::size_t max_queued_bytes = 32 << 20;
// Beyond this limit, pipelined requests stay in the socket.
constexpr std::size_t max_waiting_input = 64 << 10;
// How long a closing connection waits for the client to close.
constexpr auto linger = std::chrono::seconds(2);

using boost::system::error_code;

}  // namespace

session::session(session_host& host, std::unique_ptr<byte_stream> stream,
                 const boost::asio::any_io_executor& executor, std::uint64_t number,
                 std::chrono::milliseconds keep_alive_timeout)
    : host_(host),
      stream_(std::move(stream)),
      pause_timer_(executor),
      idle_timer_(executor),
      number_(number),
      keep_alive_timeout_(keep_alive_timeout) {}

void session::start() {
    stream_->async_open([self = shared_from_this()](error_code error, std::size_t) {
        if (error) return self->close();
        self->wait_for_request();
        self->read();
    });
}

void session::read() {
    if (input_ != input::idle || is_closed() || reader_.count_unread_bytes() > max_waiting_input)
        return;
    input_ = input::reading;
    stream_->async_read(read_buffer_.data(), read_buffer_.size(),
                        [self = shared_from_this()](error_code error, std::size_t bytes) {
                            self->input_ = input::idle;
                            if (self->is_closed()) return;
                            if (!error) return self->on_read(bytes);
                            self->on_end_of_input(error != boost::asio::error::eof);
                        });
}

void session::on_read(std::size_t bytes) {
    if (connection_ == connection::open) reader_.feed({read_buffer_.data(), bytes});
    if (!response_) next_request();
    read();
}

// A client that closes only its sending side counts as disconnected.
void session::on_end_of_input(bool broken) {
    input_ = input::ended;
    if (!response_ || broken || output_ == output::paused) return close();
    host_.on_client_gone(request_);
}

void session::next_request() {
    if (connection_ != connection::open || response_) return;
    if (const auto request = reader_.next()) {
        idle_timer_.cancel();
        host_.on_request(*this, *request);
    } else if (reader_.is_broken()) {
        begin_response(0, false, std::nullopt);
        reply({400, "{}"});
    } else if (input_ == input::ended) {
        close();
    } else if (reader_.wants_continue()) {
        actions_.push_back({socket_action::kind::write, "HTTP/1.1 100 Continue\r\n\r\n", {}});
        perform();
    }
}

void session::begin_response(std::uint64_t request, bool keep_alive, std::optional<fault> f) {
    request_ = request;
    keep_alive_ = keep_alive && --requests_left_ > 0;
    response_.emplace(keep_alive_, std::move(f));
}

void session::reply(const http_reply& r) {
    response_->write_reply(r);
    take_actions();
}

void session::deliver(const engine_output& out) {
    // Late output of a response that a fault ended must not reach the next response.
    if (is_closed() || !response_ || out.task != request_) return;
    if (out.kind == output_kind::cancelled) return close();
    write_out(out);
    take_actions();
}

void session::write_out(const engine_output& out) {
    switch (out.kind) {
        case output_kind::begin:
            return response_->begin_event_stream();
        case output_kind::event:
            return response_->write_event(out.payload, out.predicted, false);
        case output_kind::ping:
            return response_->write_event(out.payload, 0, false);
        case output_kind::final_event:
            response_->write_event(out.payload, out.predicted, true);
            break;
        case output_kind::error_event:
            response_->write_event(out.payload, out.predicted, false);
            break;
        case output_kind::reply:
        case output_kind::refusal:
            return response_->write_reply({out.status, out.payload});
        case output_kind::cancelled:
        case output_kind::crash:
            return;
    }
    response_->end_event_stream();
}

void session::take_actions() {
    for (socket_action& a : response_->take_actions()) {
        queued_bytes_ += a.bytes.size();
        actions_.push_back(std::move(a));
    }
    if (response_->is_broken()) host_.on_faulted(request_);
    if (queued_bytes_ > max_queued_bytes) return reset();
    perform();
}

void session::perform() {
    while (output_ == output::idle && !is_closed() && !actions_.empty()) {
        const socket_action::kind what = actions_.front().what;
        if (what == socket_action::kind::write) {
            write();
            continue;
        }
        const auto duration = actions_.front().duration;
        actions_.pop_front();
        switch (what) {
            case socket_action::kind::pause:
                pause(duration);
                break;
            case socket_action::kind::finish:
                finish_response();
                break;
            case socket_action::kind::close:
                leave();
                break;
            default:
                reset();
                break;
        }
    }
}

void session::write() {
    written_.clear();
    while (!actions_.empty() && actions_.front().what == socket_action::kind::write) {
        written_ += actions_.front().bytes;
        actions_.pop_front();
    }
    queued_bytes_ -= std::min(queued_bytes_, written_.size());
    output_ = output::writing;
    stream_->async_write(written_, [self = shared_from_this()](error_code error, std::size_t) {
        self->output_ = output::idle;
        if (error) return self->close();
        self->perform();
    });
}

void session::pause(std::chrono::milliseconds duration) {
    if (input_ == input::ended) return close();
    output_ = output::paused;
    if (duration.count() == 0) return;
    pause_timer_.expires_after(duration);
    pause_timer_.async_wait([self = shared_from_this()](error_code error) {
        if (error) return;
        self->output_ = output::idle;
        self->perform();
    });
}

void session::finish_response() {
    response_.reset();
    if (!keep_alive_) return leave();
    wait_for_request();
    next_request();
    read();
}

void session::wait_for_request() {
    idle_timer_.expires_after(keep_alive_timeout_);
    idle_timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error && !self->response_) self->close();
    });
}

// Closing immediately could discard data that the client has not read yet.
void session::leave() {
    response_.reset();
    actions_.clear();
    connection_ = connection::leaving;
    if (input_ == input::ended) return close();
    stream_->end_writing();
    idle_timer_.expires_after(linger);
    idle_timer_.async_wait([self = shared_from_this()](error_code error) {
        if (!error) self->close();
    });
    read();
}

void session::close() {
    if (is_closed()) return;
    connection_ = connection::closed;
    pause_timer_.cancel();
    idle_timer_.cancel();
    stream_->close();
    if (response_) host_.on_client_gone(request_);
    host_.on_closed(*this);
}

void session::reset() {
    if (!is_closed()) stream_->reset();
    close();
}

}  // namespace tandem::mock
