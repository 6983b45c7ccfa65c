#include "engine/slot_pool.hpp"

#include <algorithm>

namespace tandem::mock {
void slot::clear() {
    tokens.clear();
    checkpoints.clear();
}

std::size_t common_prefix(const std::vector<token_id>& a, const std::vector<token_id>& b) {
    const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(ends.first - a.begin());
}

std::size_t reusable_tokens(const std::vector<token_id>& held,
                            const std::vector<token_id>& prompt) {
    if (prompt.empty()) return 0;
    return std::min(common_prefix(held, prompt), prompt.size() - 1);
}

bool is_similar(std::size_t common, const std::vector<token_id>& prompt) {
    return 10 * common > prompt.size();
}

slot_pool::slot_pool(int count) {
    for (int i = 0; i < count; ++i) {
        slots_.emplace_back();
        slots_.back().id = i;
    }
}

slot& slot_pool::slot_at_wrapped_id(int id_slot) {
    return slots_[static_cast<std::size_t>(id_slot) % slots_.size()];
}

slot* slot_pool::find_idle(int id_slot, const std::vector<token_id>& prompt) {
    if (id_slot != -1) {
        slot& s = slot_at_wrapped_id(id_slot);
        return s.is_processing() ? nullptr : &s;
    }
    slot* similar = find_most_similar(prompt);
    return similar ? similar : find_least_recently_used();
}

slot* slot_pool::find_most_similar(const std::vector<token_id>& prompt) {
    slot* best = nullptr;
    std::size_t most_common = 0;
    for (slot& s : slots_) {
        if (s.is_processing()) continue;
        const std::size_t common = common_prefix(s.tokens, prompt);
        if (!is_similar(common, prompt) || common <= most_common) continue;
        most_common = common;
        best = &s;
    }
    return best;
}

slot* slot_pool::find_least_recently_used() {
    slot* best = nullptr;
    for (slot& s : slots_) {
        if (s.is_processing()) continue;
        // nullopt compares as older, so a slot that was never used comes first.
        if (!best || s.last_used < best->last_used) best = &s;
    }
    return best;
}

}  // namespace tandem::mock
