#pragma once

#include "engine/slot_pool.hpp"
#include "tandem_mock/options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tandem::mock {

/// Whether the server searches host memory before this idle slot runs a request. The server does so
/// if the slot would lose more than half of its tokens, or if the common tokens are too few for
/// is_similar(). It never searches for an empty slot that the request names (llama.cpp #28139).
bool must_search_host_cache(const slot& s, int id_slot, const std::vector<token_id>& prompt);

/// Size of a copy of this many tokens, as measured with the talk model on llama-server b11669.
std::int64_t copy_size(std::size_t tokens);

/// Copies of slots in host memory (--cache-ram), as in llama-server b11669.
class host_prompt_cache {
 public:
    explicit host_prompt_cache(const options& o);

    bool is_on() const { return limit_mib_ != 0; }

    /// Copies the tokens of a slot, unless a copy already begins with them. Drops the copies that
    /// the new copy contains, and the oldest copies if there is no room. Returns whether a copy was
    /// made.
    bool save(const slot& s);
    /// Moves the copy that fits the prompt best into the slot, if the copy fits better than the
    /// slot's own tokens. Returns whether there was such a copy. Precondition: the slot was saved.
    bool load(slot& s, const std::vector<token_id>& prompt);
    /// If there is no limit in MiB, drops the oldest copies until the remaining tokens fit into the
    /// context. Call this after a request has made its copies.
    void drop_copies_beyond_context();

    std::size_t copies() const { return copies_.size(); }

 private:
    struct copy {
        std::vector<token_id> tokens;
        std::vector<int> checkpoints;
    };

    std::int64_t limit_bytes() const { return std::int64_t{limit_mib_} * 1024 * 1024; }
    std::int64_t size() const;
    std::size_t tokens() const;

    const int limit_mib_;
    const std::size_t max_tokens_;
    std::deque<copy> copies_;  // oldest first
};

}  // namespace tandem::mock
