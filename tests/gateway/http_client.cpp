#include "gateway/http_client.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace tandem::testing {
namespace {

namespace http = boost::beast::http;

std::string in_lower_case(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::shared_ptr<SSL_CTX> trusting(const std::string& certificate) {
    const std::shared_ptr<BIO> in(
        BIO_new_mem_buf(certificate.data(), static_cast<int>(certificate.size())), BIO_free);
    const std::shared_ptr<X509> x509(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr),
                                     X509_free);
    std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), x509.get());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    return context;
}

}  // namespace

std::vector<std::string> http_answer::events() const {
    std::vector<std::string> list;
    std::size_t at = 0;
    while ((at = body.find("data: ", at)) != body.npos) {
        const auto end = body.find("\n\n", at);
        list.push_back(body.substr(at + 6, end - at - 6));
        at = end;
    }
    return list;
}

http_client::http_client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) close();
}

http_client::http_client(std::uint16_t port, const std::string& certificate) : http_client(port) {
    tls_.reset(SSL_new(trusting(certificate).get()), SSL_free);
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), "127.0.0.1");
    SSL_set_fd(tls_.get(), socket_);
    if (SSL_connect(tls_.get()) != 1) close();
}

http_client::~http_client() {
    close();
}

http_answer http_client::ask(std::string_view method, std::string_view target,
                             std::string_view body) {
    send_request(method, target, body);
    return read_answer();
}

void http_client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto n = tls_ ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                            : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
}

void http_client::send_request(std::string_view method, std::string_view target,
                               std::string_view body) {
    auto text = fmt::format("{} {} HTTP/1.1\r\nHost: gateway\r\n", method, target);
    for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
    if (!body.empty())
        text +=
            fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body.size());
    send(text + "\r\n" + std::string(body));
}

http_answer http_client::read_answer() {
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    parser.body_limit(boost::none);
    while (!parser.is_done()) {
        if (read_.empty() && !read_more()) break;
        boost::beast::error_code ec;
        const auto used = parser.put(boost::asio::buffer(read_), ec);
        read_.erase(0, used);
        if (ec == http::error::need_more && read_more()) continue;
        if (ec) break;
    }
    http_answer answer;
    if (!parser.is_header_done()) return answer;
    const auto message = parser.release();
    answer.status = static_cast<int>(message.result_int());
    answer.body = message.body();
    for (const auto& field : message)
        answer.headers[in_lower_case(std::string(field.name_string()))] =
            std::string(field.value());
    return answer;
}

bool http_client::read_until(std::string_view text) {
    while (read_.find(text) == read_.npos)
        if (!read_more()) return false;
    return true;
}

std::string http_client::read_to_end() {
    auto text = read_to_any_end();
    if (ending_ == ending::cut_off) throw std::runtime_error("the connection was cut off: " + text);
    return text;
}

std::string http_client::read_to_any_end() {
    while (read_more()) {
    }
    if (ending_ == ending::too_late)
        throw std::runtime_error("the connection is still open: " + read_);
    return std::exchange(read_, {});
}

bool http_client::read_more() {
    char bytes[65536];
    const long n =
        tls_ ? SSL_read(tls_.get(), bytes, sizeof bytes) : ::recv(socket_, bytes, sizeof bytes, 0);
    if (n > 0)
        read_.append(bytes, static_cast<std::size_t>(n));
    else
        ending_ = why_nothing_came(n);
    return n > 0;
}

auto http_client::why_nothing_came(long n) const -> ending {
    const bool is_too_late = errno == EAGAIN || errno == EWOULDBLOCK;
    if (!tls_) return n == 0 ? ending::orderly : is_too_late ? ending::too_late : ending::cut_off;
    const auto why = SSL_get_error(tls_.get(), static_cast<int>(n));
    if (why == SSL_ERROR_ZERO_RETURN) return ending::orderly;
    return why == SSL_ERROR_WANT_READ || (why == SSL_ERROR_SYSCALL && is_too_late)
               ? ending::too_late
               : ending::cut_off;
}

void http_client::close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void http_client::reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close();
}

}  // namespace tandem::testing
