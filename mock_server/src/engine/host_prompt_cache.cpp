#include "engine/host_prompt_cache.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {
namespace {

// How much a load would reuse, as a share of the copy and as a share of the prompt.
struct fit {
    double of_copy = -1;
    double of_prompt = 0;
};

// An empty slot fits worse than any copy.
fit fit_of(const std::vector<token_id>& held, const std::vector<token_id>& prompt) {
    if (held.empty()) return {};
    const auto common = static_cast<double>(common_prefix(held, prompt));
    return {common / static_cast<double>(held.size()), common / static_cast<double>(prompt.size())};
}

// A load removes the copy, so the server does not load one of which less than this share is useful.
constexpr double min_share_of_copy = 0.25;

// Compares from the end, where conversations with the same system prompt differ.
bool begins_with(const std::vector<token_id>& whole, const std::vector<token_id>& part) {
    return part.size() <= whole.size() &&
           std::equal(part.rbegin(), part.rend(),
                      whole.rbegin() + static_cast<std::ptrdiff_t>(whole.size() - part.size()));
}

}  // namespace

bool must_search_host_cache(const slot& s, int id_slot, const std::vector<token_id>& prompt) {
    const bool pinned = id_slot != -1;
    if (pinned && s.tokens.empty()) return false;
    // If the requested id was out of range, the server searches without the comparison below.
    if (pinned && id_slot != s.id) return true;
    const std::size_t common = common_prefix(s.tokens, prompt);
    return !is_similar(common, prompt) || 2 * common < s.tokens.size();
}

std::int64_t copy_size(std::size_t tokens) {
    return 108 + 1548 * static_cast<std::int64_t>(tokens);
}

host_prompt_cache::host_prompt_cache(const options& o)
    : limit_mib_(o.cache_ram), max_tokens_(static_cast<std::size_t>(o.ctx_size)) {}

bool host_prompt_cache::save(const slot& s) {
    if (s.tokens.empty()) return false;
    for (const copy& c : copies_) {
        if (begins_with(c.tokens, s.tokens)) return false;
    }
    const std::int64_t needed = copy_size(s.tokens.size());
    if (limit_mib_ > 0 && needed > limit_bytes()) return false;
    std::erase_if(copies_, [&s](const copy& c) { return begins_with(s.tokens, c.tokens); });
    while (limit_mib_ > 0 && size() + needed > limit_bytes()) copies_.pop_front();
    copies_.push_back({s.tokens, s.checkpoints});
    return true;
}

bool host_prompt_cache::load(slot& s, const std::vector<token_id>& prompt) {
    fit best = fit_of(s.tokens, prompt);
    auto found = copies_.end();
    for (auto c = copies_.begin(); c != copies_.end(); ++c) {
        const fit candidate = fit_of(c->tokens, prompt);
        if (candidate.of_copy < min_share_of_copy || candidate.of_copy <= best.of_copy ||
            candidate.of_prompt <= best.of_prompt)
            continue;
        best = candidate;
        found = c;
    }
    if (found == copies_.end()) return false;
    s.tokens = std::move(found->tokens);
    s.checkpoints = std::move(found->checkpoints);
    copies_.erase(found);
    return true;
}

void host_prompt_cache::drop_copies_beyond_context() {
    if (limit_mib_ > 0) return;
    while (tokens() > max_tokens_) copies_.pop_front();
}

std::int64_t host_prompt_cache::size() const {
    std::int64_t sum = 0;
    for (const copy& c : copies_) sum += copy_size(c.tokens.size());
    return sum;
}

std::size_t host_prompt_cache::tokens() const {
    std::size_t sum = 0;
    for (const copy& c : copies_) sum += c.tokens.size();
    return sum;
}

}  // namespace tandem::mock
