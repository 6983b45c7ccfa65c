#include "text/sentences/classic_boundary_detector.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::text {

boundary_verdict classic_boundary_detector::feed(std::string_view token) {
    const auto before = length_;
    const bool matched = mark_.has_value();
    while (!token.empty()) {
        const auto c = decode_first_character(token);
        read(c.character, length_);
        length_ += c.bytes;
        token.remove_prefix(c.bytes);
    }
    if (matched && !mark_ && !settled_) settled_ = before;
    return current();
}

boundary_verdict classic_boundary_detector::end_sentence_after(std::size_t bytes) {
    length_ -= bytes;
    if (mark_) mark_ = *mark_ < bytes ? std::nullopt : std::optional(*mark_ - bytes);
    if (settled_) settled_ = *settled_ <= bytes ? std::nullopt : std::optional(*settled_ - bytes);
    return current();
}

void classic_boundary_detector::read(char32_t character, std::size_t offset) noexcept {
    if (is_white_space(character)) {
        ends_in_space_ = true;
        return;
    }
    const bool is_mark = character == '.' || character == '!' || character == '?';
    const bool closes = character == '"' || character == '\'' || character == ')';
    if (is_mark)
        mark_ = offset;
    else if (!closes || ends_in_space_)
        mark_.reset();
    ends_in_space_ = false;
}

boundary_verdict classic_boundary_detector::current() const noexcept {
    boundary_verdict v{settled_, std::nullopt};
    if (mark_) v.pending = length_;
    return v;
}

}  // namespace tandem::text
