#include "gateway/sessions/voice_audit_prompts.hpp"

#include "gateway/policy/prompt_texts.hpp"
#include "gateway/telemetry/audit_line.hpp"

#include <utility>

namespace tandem::gateway {

std::vector<std::string_view> collect_texts(const voice_turn& turn) {
    auto texts = collect_texts(turn.messages, turn.prompt, turn.options);
    for (const auto& r : turn.results) texts.push_back(r.content);
    if (turn.filler)
        texts.insert(texts.end(), turn.filler->texts.begin(), turn.filler->texts.end());
    if (!turn.text.empty()) texts.push_back(turn.text);
    if (!turn.interrupted_mark.empty()) texts.push_back(turn.interrupted_mark);
    return texts;
}

void voice_audit_prompts::record_turn(const voice_turn& turn) {
    // Limits the memory if a client appends to the history but requests no reply.
    constexpr std::size_t max_turns = 64;
    if (said_.size() >= max_turns || said_bytes_ >= max_audit_prompt_bytes) return;
    auto words = join_texts(collect_texts(turn), max_audit_prompt_bytes);
    // Results come first, because the model reads them before the words that interrupted the reply,
    // although those words have a lower turn number.
    constexpr std::uint64_t before_all = 0;
    auto& said = said_[turn.results.empty() ? turn.number : before_all];
    if (!said.empty()) words.insert(0, "\n");
    said_bytes_ += words.size();
    said += words;
}

void voice_audit_prompts::record_draft(const voice_turn& turn) {
    const std::vector<std::string_view> words{turn.messages.back().content};
    drafted_ = join_texts(words, max_audit_prompt_bytes);
}

void voice_audit_prompts::begin_reply(std::uint64_t number) {
    const auto end = said_.upper_bound(number);
    std::vector<std::string_view> texts;
    for (auto at = said_.begin(); at != end; ++at) texts.push_back(at->second);
    prompt_ = join_texts(texts, max_audit_prompt_bytes);
    for (auto at = said_.begin(); at != end; at = said_.erase(at)) said_bytes_ -= at->second.size();
}

// If the reply began as a draft, the model read the draft's words, which may differ from the
// turn's, so the prompt contains both.
std::optional<std::string> voice_audit_prompts::take_prompt(bool is_drafted) {
    auto said = std::exchange(prompt_, {});
    if (is_drafted && !drafted_.empty()) {
        const std::vector<std::string_view> texts{said, drafted_};
        said = join_texts(texts, max_audit_prompt_bytes);
    }
    return said.empty() ? std::nullopt : std::optional(std::move(said));
}

}  // namespace tandem::gateway
