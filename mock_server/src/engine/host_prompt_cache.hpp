#pragma once

#include "engine/slot_pool.hpp"
#include "tandem_mock/options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace tandem::mock {

/// Whether the server looks in host memory before this idle slot runs a request: if the slot would
/// lose more than half of its tokens. For an empty slot, only a request without `id_slot` does so
/// (llama.cpp #28139).
bool is_exchange_due(const slot& s, int id_slot, const std::vector<token_id>& prompt);

/// Size of a copy of this many tokens, as measured with the talk model on llama-server b11669.
std::int64_t copy_size(std::size_t tokens);

/// Copies of slots in host memory (--cache-ram), as in llama-server b11669.
class host_prompt_cache {
 public:
    explicit host_prompt_cache(const options& o);

    bool is_on() const { return limit_mib_ != 0; }

    /// Copies the tokens of a slot, unless a copy that begins with them exists. Copies that the new
    /// one contains are dropped, and the oldest ones if there is no room. Returns whether it
    /// copied.
    bool save(const slot& s);
    /// Moves into the slot the copy that fits the prompt better than the slot's own tokens.
    /// Precondition: the slot was saved. Returns whether there was one.
    bool load(slot& s, const std::vector<token_id>& prompt);
    /// Call after the copies of a request. Without a limit in MiB, the tokens are limited.
    void limit_tokens();

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
    const std::size_t most_tokens_;
    std::deque<copy> copies_;  // oldest first
};

}  // namespace tandem::mock
