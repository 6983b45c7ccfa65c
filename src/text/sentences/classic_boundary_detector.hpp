#pragma once

#include "text/sentences/boundary_detector.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem::text {

/// The plain rule: a sentence ends with a token after which the text, ignoring trailing white
/// space, matches `[.!?]["')]*$`. The end is settled by the first later token after which the text
/// does not match; it is before that token.
class classic_boundary_detector final : public boundary_detector {
 public:
    boundary_verdict feed(std::string_view token) override;
    boundary_verdict end_sentence_after(std::size_t bytes) override;
    boundary_verdict finish() override { return current(); }

 private:
    void read(char32_t character, std::size_t offset) noexcept;
    boundary_verdict current() const noexcept;

    std::size_t length_ = 0;
    /// Offset of the last mark that ends a sentence, if the text matches.
    std::optional<std::size_t> mark_;
    bool ends_in_space_ = false;
    std::optional<std::size_t> settled_;
};

}  // namespace tandem::text
