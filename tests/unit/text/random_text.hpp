#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// Texts of all that the sentence rules tell apart, in tokens; the seed decides.
class random_text {
 public:
    explicit random_text(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_() % n; }
    /// One to three parts of a text, which start and end anywhere between characters.
    std::string token();
    std::vector<std::string> tokens(std::size_t most);
    /// Bytes of which many are no characters.
    std::string bytes(std::size_t most);

 private:
    std::mt19937 random_;
};

}  // namespace tandem::text
