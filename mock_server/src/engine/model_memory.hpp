#pragma once

#include "engine/slot_pool.hpp"
#include "tandem_mock/options.hpp"

#include <vector>

namespace tandem::mock {

/// How far a model's memory goes back in what a slot holds, and the checkpoints that help it.
///
/// As measured on llama-server b11669 (`--memory` names the kinds). A memory that no longer has the
/// state after the common beginning goes back to the newest checkpoint within it, else to nothing.
/// One rule gives both what is natural and the quirk of sliding windows: a text no longer than the
/// window always goes back to a checkpoint, even where it is merely continued.
class model_memory {
 public:
    explicit model_memory(const options& o);

    /// Takes from the slot what this prompt cannot use, and the checkpoints in it. What stays is
    /// less than the prompt: its last token is always evaluated.
    void go_back(slot& s, const std::vector<token_id>& prompt) const;

    /// How many tokens a prompt of which `processed` are in the slot may continue by, out of
    /// `wanted`: a batch ends where a checkpoint is made.
    int batch(int processed, int prompt_tokens, int wanted) const;
    /// After a batch of a prompt; there are no checkpoints of what is generated.
    void make_checkpoint(slot& s, int prompt_tokens) const;

 private:
    int kept(const slot& s, const std::vector<token_id>& prompt) const;
    int oldest_state(int tokens) const;
    bool has_checkpoints() const;
    std::vector<int> checkpoint_places(int prompt_tokens) const;

    const memory_kind kind_;
    const int window_;
    const int ubatch_size_;
    const std::size_t most_checkpoints_;
};

}  // namespace tandem::mock
