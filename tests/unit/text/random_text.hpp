#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// Generates random tokens, determined by a seed, with all characters that the sentence rules
/// distinguish.
class random_text {
 public:
    explicit random_text(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return random_() % n; }
    /// One to three pieces of text, each of which may start or end between any two characters.
    std::string token();
    std::vector<std::string> tokens(std::size_t most);
    /// Random bytes, many of which are not valid UTF-8.
    std::string bytes(std::size_t most);

 private:
    std::mt19937 random_;
};

}  // namespace tandem::text
