#include "support/scripted_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <array>
#include <memory>

namespace tandem::testing {

namespace asio = boost::asio;
using asio::awaitable;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

std::size_t length_of_request(std::string_view received) {
    const auto head = received.find("\r\n\r\n");
    if (head == received.npos) return received.npos;
    const auto field = received.find("Content-Length: ");
    if (field == received.npos || field > head) return head + 4;
    return head + 4 + std::stoul(std::string(received.substr(field + 16, 12)));
}

}  // namespace

awaitable<std::string> scripted_peer::read_request() {
    std::array<char, 65536> buffer;
    error_code ec;
    while (!ec && received_.size() < length_of_request(received_)) {
        const auto n = co_await socket_.async_read_some(asio::buffer(buffer),
                                                        redirect_error(use_awaitable, ec));
        received_.append(buffer.data(), n);
    }
    co_return std::exchange(received_, {});
}

awaitable<void> scripted_peer::wait_readable() {
    error_code ec;
    co_await socket_.async_wait(tcp::socket::wait_read, redirect_error(use_awaitable, ec));
}

awaitable<void> scripted_peer::send(std::string text) {
    error_code ec;
    co_await asio::async_write(socket_, asio::buffer(text), redirect_error(use_awaitable, ec));
}

awaitable<void> scripted_peer::send_chunk(std::string_view text) {
    co_await send(fmt::format("{:x}\r\n{}\r\n", text.size(), text));
}

awaitable<bool> scripted_peer::wait_writable(std::chrono::milliseconds limit) {
    asio::steady_timer timer(socket_.get_executor(), limit);
    timer.async_wait([this](error_code ec) {
        if (!ec) socket_.cancel();
    });
    error_code ec;
    co_await socket_.async_wait(tcp::socket::wait_write, redirect_error(use_awaitable, ec));
    co_return !ec;
}

awaitable<std::size_t> scripted_peer::send_until_stalled(std::string_view text, std::size_t most) {
    socket_.non_blocking(true);
    std::size_t sent = 0;
    while (sent < most) {
        error_code ec;
        const auto from = sent % text.size();
        const auto size = std::min(text.size() - from, most - sent);
        sent += socket_.write_some(asio::buffer(text.data() + from, size), ec);
        if (ec == asio::error::would_block) {
            if (!co_await wait_writable(std::chrono::milliseconds(100))) break;
        } else if (ec) {
            break;
        }
    }
    co_return sent;
}

awaitable<peer_end> scripted_peer::wait_for_close() {
    std::array<char, 65536> buffer;
    error_code ec;
    while (!ec)
        co_await socket_.async_read_some(asio::buffer(buffer), redirect_error(use_awaitable, ec));
    co_return ec == asio::error::eof ? peer_end::fin : peer_end::reset;
}

void scripted_peer::reset() {
    socket_.set_option(asio::socket_base::linger(true, 0));
    socket_.close();
}

scripted_server::scripted_server(script s)
    : script_(std::move(s)),
      acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      port_(acceptor_.local_endpoint().port()) {
    asio::co_spawn(context_, accept_all(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
}

scripted_server::~scripted_server() {
    context_.stop();
    thread_.join();
}

awaitable<void> scripted_server::accept_all() {
    for (;;) {
        auto socket = co_await acceptor_.async_accept(use_awaitable);
        ++accepted_;
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
    }
}

awaitable<void> scripted_server::serve(tcp::socket socket) {
    scripted_peer peer(std::move(socket));
    co_await script_(peer);
}

awaitable<void> gate::wait_until_open() {
    asio::steady_timer timer(co_await asio::this_coro::executor,
                             std::chrono::steady_clock::time_point::max());
    {
        const std::lock_guard lock(mutex_);
        if (open_) co_return;
        waiting_ = &timer;
    }
    error_code ec;
    co_await timer.async_wait(redirect_error(use_awaitable, ec));
}

void gate::open() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(open_, true) || !waiting_) return;
    asio::post(waiting_->get_executor(), [timer = waiting_] { timer->cancel(); });
}

std::string whole_answer(std::string_view body, std::string_view status) {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, body.size(), body);
}

}  // namespace tandem::testing
