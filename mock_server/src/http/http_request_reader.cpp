#include "http/http_request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace tandem::mock {
namespace {

namespace http = boost::beast::http;

constexpr std::uint64_t max_body_bytes = 16 << 20;
constexpr std::uint32_t max_header_bytes = 64 << 10;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string to_string(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

}  // namespace

class http_request_reader::parser : public http::request_parser<http::string_body> {
 public:
    parser() {
        eager(true);
        body_limit(max_body_bytes);
        header_limit(max_header_bytes);
    }

    http_request request() {
        auto& message = get();
        http_request r;
        r.method = to_string(message.method_string());
        r.path = to_string(message.target());
        if (const auto question = r.path.find('?'); question != std::string::npos) {
            r.query = r.path.substr(question + 1);
            r.path.resize(question);
        }
        for (const auto& field : message) {
            r.headers.emplace_back(lower(to_string(field.name_string())), to_string(field.value()));
        }
        r.keep_alive = message.keep_alive();
        r.body = std::move(message.body());
        return r;
    }
};

http_request_reader::http_request_reader() : parser_(std::make_unique<parser>()) {}
http_request_reader::~http_request_reader() = default;

void http_request_reader::feed(std::string_view bytes) {
    unread_ += bytes;
    parse();
}

void http_request_reader::parse() {
    while (!broken_ && !unread_.empty() && !parser_->is_done()) {
        boost::beast::error_code error;
        const std::size_t used = parser_->put(boost::asio::buffer(unread_), error);
        unread_.erase(0, used);
        if (error == http::error::need_more || (!error && used == 0)) return;
        broken_ = static_cast<bool>(error);
    }
}

std::optional<http_request> http_request_reader::next() {
    parse();
    if (broken_ || !parser_->is_done()) return std::nullopt;
    http_request r = parser_->request();
    parser_ = std::make_unique<parser>();
    continued_ = false;
    return r;
}

bool http_request_reader::wants_continue() {
    if (continued_ || !parser_->is_header_done() || parser_->is_done()) return false;
    const bool wants = lower(to_string(parser_->get()[http::field::expect])) == "100-continue";
    continued_ = wants;
    return wants;
}

}  // namespace tandem::mock
