#pragma once

#include "base/time.hpp"
#include "cluster/store/store_link.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tandem::cluster {

/// Texts in the store that each gateway may write and read. On the link's loop.
class shared_texts {
 public:
    /// A longer text is not kept.
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;

    /// Receives nullopt if there is no such text, or if the store does not answer in time.
    using find_handler = std::function<void(std::optional<std::string>)>;

    /// `prefix` precedes each key. The link must outlive the texts.
    shared_texts(store_link& link, std::string prefix);

    /// Keeps the text this long, instead of an earlier one.
    void put(const std::string& key, std::string text, duration kept);
    /// The handler is called at most once, never from within the call, and not after the link's
    /// end. `limit` is at most store_link::answer_limit.
    void find(const std::string& key, duration limit, find_handler done);

 private:
    store_link& link_;
    std::string prefix_;
};

}  // namespace tandem::cluster
