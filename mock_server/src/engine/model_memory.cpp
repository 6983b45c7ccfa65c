#include "engine/model_memory.hpp"

#include <algorithm>

namespace tandem::mock {
namespace {

// Distance of the last checkpoint from the end of a prompt. The other checkpoint is one micro-batch
// earlier.
constexpr int before_end = 4;

}  // namespace

model_memory::model_memory(const options& o)
    : kind_(o.memory),
      window_(o.memory == memory_kind::sliding_window ? o.sliding_window : 0),
      ubatch_size_(o.ubatch_size),
      max_checkpoints_(static_cast<std::size_t>(o.ctx_checkpoints)) {}

void model_memory::trim_to_reusable_tokens(slot& s, const std::vector<token_id>& prompt) const {
    const int tokens = count_kept_tokens(s, prompt);
    s.tokens.resize(static_cast<std::size_t>(tokens));
    const auto lost = std::upper_bound(s.checkpoints.begin(), s.checkpoints.end(), tokens);
    s.checkpoints.erase(lost, s.checkpoints.end());
}

int model_memory::count_kept_tokens(const slot& s, const std::vector<token_id>& prompt) const {
    const int usable = static_cast<int>(reusable_tokens(s.tokens, prompt));
    if (kind_ == memory_kind::attention || usable == 0) return usable;
    const int common = static_cast<int>(common_prefix(s.tokens, prompt));
    const bool has_new_tokens = common < static_cast<int>(prompt.size());
    const int needed = std::max(0, common - window_ - (has_new_tokens ? 0 : 1));
    if (oldest_state(static_cast<int>(s.tokens.size())) < needed) return usable;
    for (auto c = s.checkpoints.rbegin(); c != s.checkpoints.rend(); ++c) {
        const int oldest = oldest_state(*c);
        if (*c <= usable && (oldest == 0 || oldest < needed)) return *c;
    }
    return 0;
}

// The first position whose state still exists after `tokens` tokens: a recurrent model keeps only
// the last state; the cache of a sliding window keeps the window and one micro-batch.
int model_memory::oldest_state(int tokens) const {
    if (kind_ == memory_kind::recurrent) return tokens - 1;
    return std::max(0, tokens - window_ - ubatch_size_);
}

bool model_memory::has_checkpoints() const {
    return kind_ != memory_kind::attention && max_checkpoints_ > 0;
}

std::vector<int> model_memory::checkpoint_places(int prompt_tokens) const {
    return {prompt_tokens - before_end - ubatch_size_, prompt_tokens - before_end};
}

int model_memory::limit_batch(int processed, int prompt_tokens, int wanted) const {
    if (!has_checkpoints()) return wanted;
    for (int place : checkpoint_places(prompt_tokens)) {
        if (place > processed) return std::min(wanted, place - processed);
    }
    return wanted;
}

void model_memory::make_checkpoint(slot& s, int prompt_tokens) const {
    if (!has_checkpoints()) return;
    const int held = static_cast<int>(s.tokens.size());
    const std::vector<int> places = checkpoint_places(prompt_tokens);
    if (std::find(places.begin(), places.end(), held) == places.end()) return;
    if (s.checkpoints.size() == max_checkpoints_) s.checkpoints.erase(s.checkpoints.begin());
    s.checkpoints.push_back(held);
}

}  // namespace tandem::mock
