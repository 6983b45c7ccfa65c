#pragma once

#include "base/time.hpp"
#include "cluster/store/store_link.hpp"
#include "cluster/write_budget.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace tandem::cluster {

/// The result of a search for a text.
struct found_text {
    /// If false, the store did not answer in time, or reported an error; the text may exist.
    bool is_answered = false;
    std::optional<std::string> text{};
};

/// Texts in the store that each gateway may write and read. Use it on the link's loop.
class shared_texts {
 public:
    using find_handler = std::function<void(found_text)>;

    /// `prefix` precedes each key. The link must outlive the texts.
    shared_texts(store_link& link, std::string prefix);

    /// Keeps a short text for the time `kept`; replaces an earlier text of the same key.
    void put(const std::string& key, std::string text, duration kept);
    /// Like put(), but for a long text, which is dropped if it exceeds the write budget. The text
    /// has at least `least_bytes`; `make_text` is called only if the budget has room for these.
    void put_long(time_point now, const std::string& key, duration kept, std::size_t least_bytes,
                  const std::function<std::string()>& make_text);
    /// The handler is called at most once, after this function has returned, and never after the
    /// link is destroyed. `limit` is at most store_link::answer_limit.
    void find(const std::string& key, duration limit, find_handler done);

 private:
    store_link& link_;
    std::string prefix_;
    write_budget budget_;
};

}  // namespace tandem::cluster
