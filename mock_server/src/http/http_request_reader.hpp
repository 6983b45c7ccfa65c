#pragma once

#include "http/http_message.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::mock {

/// Makes requests of the bytes of one connection.
class http_request_reader {
 public:
    http_request_reader();
    ~http_request_reader();

    /// Bytes that arrived. At most one request is read; what follows it waits for next().
    void feed(std::string_view bytes);

    /// The request, once it is whole. Starts on the next one.
    std::optional<http_request> next();
    /// The client waits for "100 Continue" before it sends the body; true once a request.
    bool wants_continue();
    /// The bytes are no HTTP, or more than 16 MiB; nothing more can be read.
    bool is_broken() const { return broken_; }
    /// Bytes that wait for next().
    std::size_t waiting() const { return unread_.size(); }

 private:
    class parser;
    void parse();

    std::unique_ptr<parser> parser_;
    std::string unread_;
    bool broken_ = false;
    bool continued_ = false;
};

}  // namespace tandem::mock
