#pragma once

#include "engine/slot_pool.hpp"
#include "tandem_mock/options.hpp"

#include <vector>

namespace tandem::mock {

/// How far a model's memory can roll back the content of a slot, and its checkpoints.
///
/// Behaves as measured on llama-server b11669; `--memory` selects the kind. If the state after the
/// common prefix is gone, the memory rolls back to the newest checkpoint within the prefix, or
/// loses all tokens if there is none. The server's rule has a quirk for sliding windows: text that
/// is no longer than the window always rolls back to a checkpoint, even if the text is merely
/// continued.
class model_memory {
 public:
    explicit model_memory(const options& o);

    /// Removes from the slot the tokens that this prompt cannot reuse, and their checkpoints. The
    /// rest is shorter than the prompt, because the prompt's last token is always evaluated.
    void trim_to_reusable_tokens(slot& s, const std::vector<token_id>& prompt) const;

    /// How many of `wanted` tokens the next batch may contain if `processed` tokens of the prompt
    /// are in the slot: a batch ends at a checkpoint.
    int limit_batch(int processed, int prompt_tokens, int wanted) const;
    /// Call after each batch of a prompt; generated tokens get no checkpoints.
    void make_checkpoint(slot& s, int prompt_tokens) const;

 private:
    int count_kept_tokens(const slot& s, const std::vector<token_id>& prompt) const;
    int oldest_state(int tokens) const;
    bool has_checkpoints() const;
    std::vector<int> checkpoint_places(int prompt_tokens) const;

    const memory_kind kind_;
    const int window_;
    const int ubatch_size_;
    const std::size_t max_checkpoints_;
};

}  // namespace tandem::mock
