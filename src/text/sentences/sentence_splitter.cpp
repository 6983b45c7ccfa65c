#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/sentences/make_boundary_detector.hpp"

#include "tandem/sentence.hpp"

#include <utility>

namespace tandem {
inline namespace v0 {

struct sentence_splitter::state {
    explicit state(sentence_options o) : options(std::move(o)) { restart(); }

    void restart() {
        detector = text::make_boundary_detector(options.rule, options.language);
        open.clear();
        start = 0;
        partial.clear();
        pending.reset();
    }

    std::vector<std::string> take(text::boundary_verdict v) {
        std::vector<std::string> sentences;
        for (; v.settled; v = detector->end_sentence_after(*v.settled))
            sentences.push_back(cut(*v.settled));
        pending = v.pending;
        if (start > open.size() / 2) open.erase(0, std::exchange(start, 0));
        return sentences;
    }

    std::string cut(std::size_t bytes) {
        auto sentence = open.substr(start, bytes);
        start += bytes;
        return sentence;
    }

    sentence_options options;
    std::unique_ptr<text::boundary_detector> detector;
    std::string open;  // begins with returned text, which is erased when it is the larger part
    std::size_t start = 0;
    std::string partial;  // at most 3 bytes
    std::optional<std::size_t> pending;
};

sentence_splitter::sentence_splitter(sentence_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
sentence_splitter::~sentence_splitter() = default;
sentence_splitter::sentence_splitter(sentence_splitter&&) noexcept = default;
sentence_splitter& sentence_splitter::operator=(sentence_splitter&&) noexcept = default;

std::vector<std::string> sentence_splitter::feed(std::string_view token) {
    auto& s = *state_;
    std::string joined;
    if (!s.partial.empty()) {
        joined = std::exchange(s.partial, {});
        joined += token;
        token = joined;
    }
    const auto kept = text::incomplete_suffix(token);
    s.partial = token.substr(token.size() - kept);
    token.remove_suffix(kept);
    if (token.empty()) return {};
    s.open += token;
    return s.take(s.detector->feed(token));
}

bool sentence_splitter::is_holding() const noexcept {
    return state_->pending.has_value();
}

std::vector<std::string> sentence_splitter::hold_expired() {
    auto& s = *state_;
    if (!s.pending) return {};
    const auto end = *s.pending;
    std::vector<std::string> sentences{s.cut(end)};
    for (auto& more : s.take(s.detector->end_sentence_after(end)))
        sentences.push_back(std::move(more));
    return sentences;
}

std::vector<std::string> sentence_splitter::finish() {
    auto& s = *state_;
    auto sentences = s.take(s.detector->finish());
    const auto rest = [&] { return std::string_view(s.open).substr(s.start); };
    while (s.pending && !text::is_all_white_space(rest().substr(*s.pending)))
        for (auto& more : hold_expired()) sentences.push_back(std::move(more));
    auto last = std::string(rest()) + s.partial;
    if (!last.empty()) sentences.push_back(std::move(last));
    s.restart();
    return sentences;
}

std::vector<std::string> split_sentences(std::string_view text, sentence_options options) {
    sentence_splitter splitter(std::move(options));
    auto sentences = splitter.feed(text);
    for (auto& rest : splitter.finish()) sentences.push_back(std::move(rest));
    return sentences;
}

}  // namespace v0
}  // namespace tandem
