#pragma once

#include "http/http_message.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::mock {

/// Parses the requests of one connection.
class http_request_reader {
 public:
    http_request_reader();
    ~http_request_reader();

    /// Adds received bytes. At most one request is read; further bytes wait for next().
    void feed(std::string_view bytes);

    /// Returns the request once it is complete, and starts reading the next one.
    std::optional<http_request> next();
    /// Whether the client waits for "100 Continue" before it sends the body. Returns true only once
    /// per request.
    bool wants_continue();
    /// The input is not HTTP or exceeds 16 MiB; nothing more can be read.
    bool is_broken() const { return broken_; }
    /// Number of bytes that wait for next().
    std::size_t count_unread_bytes() const { return unread_.size(); }

 private:
    class parser;
    void parse();

    std::unique_ptr<parser> parser_;
    std::string unread_;
    bool broken_ = false;
    bool continued_ = false;
};

}  // namespace tandem::mock
