#include "http/response_writer.hpp"

#include "faults/fault_plan.hpp"

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

std::string reason_of(int status) {
    using namespace boost::beast::http;
    const auto reason = obsolete_reason(int_to_status(static_cast<unsigned>(status)));
    return {reason.data(), reason.size()};
}

std::string connection_headers(bool keep_alive) {
    return keep_alive ? "Keep-Alive: timeout=5, max=100\r\n" : "Connection: close\r\n";
}

std::string head_of(const http_reply& r, bool keep_alive) {
    return fmt::format(
        "HTTP/1.1 {} {}\r\nServer: llama.cpp\r\n{}Content-Length: {}\r\n"
        "Content-Type: application/json; charset=utf-8\r\n\r\n",
        r.status, reason_of(r.status), connection_headers(keep_alive), r.body.size());
}

std::string head_of_stream(bool keep_alive) {
    return fmt::format(
        "HTTP/1.1 200 OK\r\nServer: llama.cpp\r\n{}Content-Type: text/event-stream\r\n"
        "Transfer-Encoding: chunked\r\nX-Accel-Buffering: no\r\n\r\n",
        connection_headers(keep_alive));
}

}  // namespace

response_writer::response_writer(bool keep_alive, std::optional<fault> f)
    : keep_alive_(keep_alive), fault_(std::move(f)) {
    if (fault_ && fault_->kind == fault_kind::slow_headers) {
        add_action(socket_action::kind::pause, fault_->duration);
        fault_.reset();
    }
}

void response_writer::write_reply(const http_reply& r) {
    if (broken_) return;
    const std::string head = head_of(r, keep_alive_);
    if (!fault_) {
        write(head + r.body);
    } else {
        reply_with_fault(head, r.body);
    }
    if (!broken_) add_action(socket_action::kind::finish);
}

// The response has no token events, so a fault acts at a byte of the body or before the response.
void response_writer::reply_with_fault(const std::string& head, const std::string& body) {
    std::int64_t at = fault_->at_byte;
    if (at < 0 && fault_->kind == fault_kind::half_event) {
        at = static_cast<std::int64_t>(body.size() / 2);
    }
    const std::size_t sent = at < 0 ? 0 : std::min(static_cast<std::size_t>(at), body.size());
    if (at >= 0) write(head + body.substr(0, sent));
    play_fault();
    if (!broken_) write(at >= 0 ? body.substr(sent) : head + body);
}

void response_writer::begin_event_stream() {
    streaming_ = true;
    if (!broken_) write(head_of_stream(keep_alive_));
}

void response_writer::write_event(std::string_view payload, int predicted, bool is_final) {
    if (broken_) return;
    if (const auto place = find_fault_position(payload, predicted, is_final)) {
        write_chunk(payload.substr(0, *place));
        payload.remove_prefix(*place);
        play_fault();
        if (broken_) return;
    }
    write_chunk(payload);
}

void response_writer::end_event_stream() {
    if (broken_) return;
    write("0\r\n\r\n");
    add_action(socket_action::kind::finish);
}

std::vector<socket_action> response_writer::take_actions() {
    return std::exchange(actions_, {});
}

// Offset in the event at which the fault acts; nullopt if it is not due.
std::optional<std::size_t> response_writer::find_fault_position(std::string_view payload,
                                                                int predicted,
                                                                bool is_final) const {
    if (!fault_) return std::nullopt;
    const std::size_t before = fault_->kind == fault_kind::half_event ? payload.size() / 2 : 0;
    if (fault_->at_byte >= 0) {
        const std::int64_t offset = fault_->at_byte - sent_;
        if (offset >= static_cast<std::int64_t>(payload.size())) return std::nullopt;
        return static_cast<std::size_t>(offset);
    }
    const bool due = fault_->at_token < 0 ? is_final : predicted > fault_->at_token || is_final;
    return due ? std::optional(before) : std::nullopt;
}

void response_writer::play_fault() {
    const fault f = *std::exchange(fault_, std::nullopt);
    switch (f.kind) {
        case fault_kind::reset:
            return end_broken(socket_action::kind::reset);
        case fault_kind::close:
            return end_broken(socket_action::kind::close);
        case fault_kind::half_event:
            if (f.duration.count() == 0) return end_broken(socket_action::kind::close);
            return add_action(socket_action::kind::pause, f.duration);
        case fault_kind::stall:
            return add_action(socket_action::kind::pause, f.duration);
        case fault_kind::garbage:
            return streaming_ ? write_chunk(fault_message(f)) : write(fault_message(f));
        case fault_kind::no_final:
            if (!streaming_) return end_broken(socket_action::kind::close);
            write("0\r\n\r\n");
            return end_broken(socket_action::kind::finish);
        default:
            break;
    }
}

void response_writer::write(std::string bytes) {
    if (!actions_.empty() && actions_.back().what == socket_action::kind::write) {
        actions_.back().bytes += bytes;
        return;
    }
    actions_.push_back({socket_action::kind::write, std::move(bytes), {}});
}

void response_writer::write_chunk(std::string_view payload) {
    if (payload.empty()) return;
    sent_ += static_cast<std::int64_t>(payload.size());
    write(fmt::format("{:x}\r\n{}\r\n", payload.size(), payload));
}

void response_writer::add_action(socket_action::kind what, std::chrono::milliseconds duration) {
    actions_.push_back({what, {}, duration});
}

void response_writer::end_broken(socket_action::kind what) {
    broken_ = true;
    add_action(what);
}

}  // namespace tandem::mock
