#pragma once

#include "cluster/store/store_answer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct redisReader;

namespace tandem::cluster {

/// Encodes a command in the store's protocol (RESP2).
std::string encode_command(const std::vector<std::string>& words);

/// Reads answers from the bytes of a connection. Not thread-safe.
class store_answer_reader {
 public:
    // Bounds of one answer. `max_items` includes the items of nested lists.
    static constexpr std::size_t max_bytes = std::size_t{64} << 20;
    static constexpr std::size_t max_items = 100'000;

    store_answer_reader();

    /// Adds bytes. Returns false after a fault: the bytes violate the protocol, or an answer
    /// exceeds a bound. The connection must then be closed.
    bool feed(std::string_view bytes);
    /// The next complete answer, if there is one.
    std::optional<store_answer> next();
    /// The fault; empty if there is none.
    const std::string& fault() const noexcept { return fault_; }

 private:
    struct deleter {
        void operator()(redisReader* reader) const noexcept;
    };

    std::unique_ptr<redisReader, deleter> reader_;
    std::unique_ptr<std::size_t> items_left_;  // on the heap, because hiredis keeps a pointer to it
    std::size_t unread_ = 0;
    std::string fault_;
};

}  // namespace tandem::cluster
