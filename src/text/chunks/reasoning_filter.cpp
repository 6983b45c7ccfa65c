#include "text/chunks/reasoning_filter.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <utility>

namespace tandem::text {

std::optional<std::size_t> find_open_reasoning(std::string_view prompt,
                                               const std::vector<tag_pair>& tags) {
    const auto end = trim_trailing_space(prompt);
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < tags.size(); ++i) {
        const auto mark = trim_trailing_space(tags[i].open);
        if (mark.empty() || !end.ends_with(mark)) continue;
        if (!longest || tags[i].open.size() > tags[*longest].open.size()) longest = i;
    }
    return longest;
}

reasoning_filter::reasoning_filter(std::vector<tag_pair> tags, std::optional<std::size_t> inside)
    : tags_(std::move(tags)), inside_(inside) {
    for (const auto& t : tags_)
        for (const auto* const mark : {&t.open, &t.close})
            if (starts_.find(mark->front()) == std::string::npos) starts_ += mark->front();
    for (const char b : starts_) starts_mark_[static_cast<unsigned char>(b)] = true;
}

visible_text reasoning_filter::feed(std::string_view token_text, int tokens) {
    if (passes_whole(token_text)) {
        after_space_ = is_white_space(decode_last_character(token_text).character);
        return {token_text, tokens, {}, 0};
    }
    withheld_ += token_text;
    if (!token_text.empty()) parts_.push_back({token_text.size(), tokens});
    return decide(false);
}

visible_text reasoning_filter::finish() {
    return decide(true);
}

void reasoning_filter::drop_withheld() noexcept {
    withheld_.clear();
    parts_.clear();
}

const std::string& reasoning_filter::closing_mark() const {
    const auto* longest = &tags_[*inside_];
    for (const auto& t : tags_)
        if (t.open == longest->open && t.close.size() > longest->close.size()) longest = &t;
    return longest->close;
}

/// Fast path: most text is visible and contains no start of a mark.
bool reasoning_filter::passes_whole(std::string_view token_text) const noexcept {
    const auto starts_mark = [this](char b) { return starts_mark_[static_cast<unsigned char>(b)]; };
    return !inside_ && !skips_space_ && withheld_.empty() && !token_text.empty() &&
           std::ranges::none_of(token_text, starts_mark);
}

/// The shortest mark at the start of the non-empty `text`, and whether more text may complete a
/// mark there.
reasoning_filter::found reasoning_filter::find_mark(std::string_view text) const {
    found best;
    if (!starts_mark_[static_cast<unsigned char>(text.front())]) return best;
    const auto consider = [&](std::string_view mark, std::optional<std::size_t> opened) {
        best.may_become_one |= text.size() < mark.size() && mark.starts_with(text);
        if (!mark.empty() && text.starts_with(mark) &&
            (best.bytes == 0 || mark.size() < best.bytes)) {
            best.bytes = mark.size();
            best.opened = opened;
        }
    };
    for (std::size_t i = 0; i < tags_.size(); ++i) {
        if (!inside_) consider(tags_[i].open, i);
        if (!inside_ || tags_[i].open == tags_[*inside_].open)
            consider(tags_[i].close, std::nullopt);
    }
    return best;
}

visible_text reasoning_filter::decide(bool is_last) {
    visible_.clear();
    hidden_.clear();
    tokens_ = hidden_tokens_ = 0;
    std::string_view rest = withheld_;
    while (!rest.empty()) {
        const auto mark = find_mark(rest);
        if (mark.bytes == 0 && mark.may_become_one && !is_last) break;
        if (const auto more = mark.bytes ? "" : rest_of_opening(rest); !more.empty()) {
            if (rest.size() < more.size() && !is_last) break;
            const auto bytes = std::min(rest.size(), more.size());
            drop(bytes);
            rest.remove_prefix(bytes);
            continue;
        }
        const auto bytes =
            mark.bytes ? mark.bytes : std::min(rest.find_first_of(starts_, 1), rest.size());
        if (mark.bytes)
            pass_mark(mark);
        else
            emit_text(rest.substr(0, bytes));
        rest.remove_prefix(bytes);
    }
    withheld_.erase(0, withheld_.size() - rest.size());
    return {visible_, tokens_, hidden_, hidden_tokens_};
}

/// At the start of reasoning, the remainder of a longer opening mark, if `text` starts with it or
/// may still become it.
std::string_view reasoning_filter::rest_of_opening(std::string_view text) const {
    if (!inside_ || !reasoning_begins_) return {};
    const std::string_view opened = tags_[*inside_].open;
    for (const auto& t : tags_) {
        const std::string_view longer = t.open;
        if (longer.size() == opened.size() || !longer.starts_with(opened)) continue;
        const auto rest = longer.substr(opened.size());
        if (text.starts_with(rest) || rest.starts_with(text)) return rest;
    }
    return {};
}

void reasoning_filter::pass_mark(const found& mark) {
    drop(mark.bytes);
    inside_ = mark.opened;
    reasoning_begins_ = true;
    // If white space precedes the reasoning, it already separates the words, so the white space
    // after the reasoning is skipped.
    skips_space_ = !inside_ && after_space_;
}

/// Handles text that is not a mark. It is visible if it is outside reasoning.
void reasoning_filter::emit_text(std::string_view text) {
    if (inside_) return emit_reasoning(text);
    if (skips_space_) skip_space(text);
    if (text.empty()) return;
    visible_ += text;
    after_space_ = is_white_space(decode_last_character(text).character);
    count(text.size());
}

void reasoning_filter::emit_reasoning(std::string_view text) {
    drop(text.size());
    if (reasoning_begins_) text = trim_leading_space(text);
    if (text.empty()) return;
    reasoning_begins_ = false;
    hidden_ += text;
}

void reasoning_filter::skip_space(std::string_view& text) {
    while (!text.empty()) {
        const auto c = decode_first_character(text);
        skips_space_ = is_white_space(c.character);
        if (!skips_space_) return;
        drop(c.bytes);
        text.remove_prefix(c.bytes);
    }
}

/// Removes bytes from `parts_` that will not be visible. A token with an earlier visible byte is
/// not counted as hidden, because count() has counted it.
void reasoning_filter::drop(std::size_t bytes) {
    while (bytes > 0 && !parts_.empty()) {
        auto& first = parts_.front();
        const auto n = std::min(bytes, first.bytes);
        bytes -= n;
        first.bytes -= n;
        if (first.bytes > 0) return;
        hidden_tokens_ += first.tokens;
        parts_.erase(parts_.begin());
    }
}

/// Removes bytes from `parts_` that became visible, and counts each token at its first visible
/// byte.
void reasoning_filter::count(std::size_t bytes) {
    while (bytes > 0 && !parts_.empty()) {
        auto& first = parts_.front();
        tokens_ += std::exchange(first.tokens, 0);
        const auto n = std::min(bytes, first.bytes);
        bytes -= n;
        drop(n);
    }
}

}  // namespace tandem::text

namespace tandem {
inline namespace v0 {

std::vector<tag_pair> default_reasoning_tags() {
    return {
        {"<think>", "</think>"},        // DeepSeek-R1, Qwen, GLM, Nemotron, SmolLM
        {"<thinking>", "</thinking>"},  // prompts that request it
        {"<reasoning>", "</reasoning>"},
        {"<thought>", "</thought>"},                                          // EXAONE Deep
        {"<seed:think>", "</seed:think>"},                                    // Seed-OSS
        {"<mm:think>", "</mm:think>"},                                        // MiniMax
        {"[THINK]", "[/THINK]"},                                              // Magistral
        {"<|START_THINKING|>", "<|END_THINKING|>"},                           // Command
        {"<|inner_prefix|>", "<|inner_suffix|>"},                             // Apertus
        {"<|begin_of_thought|>", "<|end_of_thought|>"},                       // OpenThinker, Sky-T1
        {"\xE2\x97\x81think\xE2\x96\xB7", "\xE2\x97\x81/think\xE2\x96\xB7"},  // Kimi-VL
        {"<|channel>thought", "<channel|>"},                                  // Gemma 4
        {"<|open|>think<|sep|>", "<|close|>think<|sep|>"},                    // Kimi K3
        // For gpt-oss. The opening marks lack <|message|>, because in tool calls other text
        // precedes it. llama-server does not render <|end|>, so only the mark of the final answer
        // closes a channel.
        {"<|channel|>analysis", "<|channel|>final<|message|>"},
        {"<|channel|>analysis", "<|start|>assistant<|channel|>final<|message|>"},
        {"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
        {"<|channel|>commentary", "<|channel|>final<|message|>"},
        {"<|channel|>commentary", "<|start|>assistant<|channel|>final<|message|>"},
    };
}

}  // namespace v0
}  // namespace tandem
