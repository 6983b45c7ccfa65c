#include "raw_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <utility>

namespace tandem::mock::test {
namespace {

namespace asio = boost::asio;

constexpr std::string_view end_of_head = "\r\n\r\n";

std::size_t count_of(const std::string& text, std::string_view what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
        ++count;
    return count;
}

// Joins chunks up to the first incomplete chunk.
void read_chunks(const std::string& bytes, answer& a, std::size_t& used) {
    used = 0;
    for (;;) {
        const std::size_t line = bytes.find("\r\n", used);
        if (line == bytes.npos) return;
        const std::size_t size = std::stoul(bytes.substr(used, line - used), nullptr, 16);
        if (bytes.size() < line + 2 + size + 2) return;
        a.body += bytes.substr(line + 2, size);
        used = line + 2 + size + 2;
        if (size > 0) continue;
        a.is_whole = true;
        return;
    }
}

answer parse(const std::string& bytes, std::size_t& used) {
    answer a;
    used = 0;
    const std::size_t head_end = bytes.find(end_of_head);
    if (head_end == bytes.npos) return a;
    const std::size_t body_begin = head_end + end_of_head.size();
    a.head = bytes.substr(0, body_begin);
    if (a.head.compare(0, 9, "HTTP/1.1 ") != 0) return a;
    a.status = std::stoi(a.head.substr(9, 3));
    if (a.head.find("Transfer-Encoding: chunked") != a.head.npos) {
        read_chunks(bytes.substr(body_begin), a, used);
        used += body_begin;
        return a;
    }
    const std::size_t length_at = a.head.find("Content-Length: ");
    if (length_at == a.head.npos) return a;
    const std::size_t length = std::stoul(a.head.substr(length_at + 16));
    a.body = bytes.substr(body_begin, length);
    a.is_whole = a.body.size() == length;
    used = body_begin + a.body.size();
    return a;
}

}  // namespace

struct raw_client::state {
    asio::io_context io;
    asio::ip::tcp::socket socket{io};
    std::string received;
    ending end = ending::open;
};

raw_client::raw_client(std::uint16_t port) : state_(std::make_unique<state>()) {
    state_->socket.connect({asio::ip::address_v4::loopback(), port});
    const timeval limit{10, 0};
    ::setsockopt(state_->socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

raw_client::~raw_client() = default;

void raw_client::send(const std::string& bytes) {
    asio::write(state_->socket, asio::buffer(bytes));
}

void raw_client::post(const std::string& path, const nlohmann::json& body,
                      const std::string& headers) {
    const std::string text = body.dump();
    send("POST " + path + " HTTP/1.1\r\nHost: mock\r\n" + headers +
         "Content-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text);
}

void raw_client::get(const std::string& path, const std::string& headers) {
    send("GET " + path + " HTTP/1.1\r\nHost: mock\r\n" + headers + "\r\n");
}

// Asio's reads ignore the time limit of the socket, so this function calls recv().
ending raw_client::read_some() {
    if (state_->end != ending::open) return state_->end;
    std::array<char, 64 * 1024> bytes;
    const ssize_t n = ::recv(state_->socket.native_handle(), bytes.data(), bytes.size(), 0);
    if (n > 0) {
        state_->received.append(bytes.data(), static_cast<std::size_t>(n));
        return ending::open;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        throw std::runtime_error("nothing came for ten seconds after: " + state_->received);
    }
    return state_->end = n == 0 ? ending::closed : ending::reset;
}

void raw_client::read_until(const std::string& mark) {
    while (state_->received.find(mark) == std::string::npos) {
        if (read_some() != ending::open) {
            throw std::runtime_error("connection ended before " + mark);
        }
    }
}

void raw_client::read_events(std::size_t count) {
    while (count_of(state_->received, "data: ") < count) {
        if (read_some() != ending::open) throw std::runtime_error("connection ended early");
    }
}

answer raw_client::read_answer() {
    for (;;) {
        std::size_t used = 0;
        answer a = parse(state_->received, used);
        if (a.is_whole) state_->received.erase(0, used);
        if (a.is_whole || read_some() != ending::open) return a;
    }
}

ending raw_client::read_end() {
    for (;;) {
        if (const ending e = read_some(); e != ending::open) return e;
    }
}

const std::string& raw_client::received() const {
    return state_->received;
}

bool raw_client::is_silent() {
    char byte = 0;
    const ssize_t n = ::recv(state_->socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && state_->received.empty();
}

void raw_client::close() {
    state_->socket.close();
}

void raw_client::reset() {
    state_->socket.set_option(asio::socket_base::linger(true, 0));
    state_->socket.close();
}

void raw_client::half_close() {
    state_->socket.shutdown(asio::ip::tcp::socket::shutdown_send);
}

answer post(std::uint16_t port, const std::string& path, const nlohmann::json& body,
            const std::string& headers) {
    raw_client c(port);
    c.post(path, body, headers);
    return c.read_answer();
}

answer post_text(std::uint16_t port, const std::string& path, const std::string& body) {
    raw_client c(port);
    c.send("POST " + path + " HTTP/1.1\r\nHost: mock\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body);
    return c.read_answer();
}

answer get(std::uint16_t port, const std::string& path, const std::string& headers) {
    raw_client c(port);
    c.get(path, headers);
    return c.read_answer();
}

std::vector<nlohmann::json> events_of(const std::string& body) {
    std::vector<nlohmann::json> events;
    for (auto at = body.find("data: "); at != body.npos; at = body.find("data: ", at)) {
        const std::size_t end = body.find("\n\n", at);
        if (end == body.npos) break;
        events.push_back(nlohmann::json::parse(body.substr(at + 6, end - at - 6)));
        at = end;
    }
    return events;
}

std::string content_of(const std::vector<nlohmann::json>& events) {
    std::string text;
    for (const auto& e : events) text += e.value("content", "");
    return text;
}

}  // namespace tandem::mock::test
