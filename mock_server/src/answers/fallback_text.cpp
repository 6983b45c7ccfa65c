#include "answers/fallback_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::mock {
namespace {

constexpr std::array<std::string_view, 16> nouns = {
    "river",  "garden", "harbour", "kitchen", "mountain", "library", "station", "orchard",
    "bridge", "market", "museum",  "village", "forest",   "theatre", "island",  "meadow"};
constexpr std::array<std::string_view, 8> adjectives = {"quiet", "bright", "old",   "friendly",
                                                        "green", "famous", "small", "busy"};
constexpr std::array<std::string_view, 8> clauses = {
    ", which is open every day",         " in the morning",         ", as most people know,",
    " after 8.30 in the evening",        " at a price of 12 euros", ", not far from here,",
    " on the first Sunday of the month", " with a view of the sea"};
constexpr std::array<std::string_view, 6> endings = {
    " is worth a visit.",     " has changed a lot.",       " was built by Dr. Weaver.",
    " opens at seven today!", " closes early on Tuesday.", " is never really empty."};

// FNV-1a, then splitmix64: yields the same values on every machine, unlike std::hash.
class dice {
 public:
    explicit dice(std::string_view seed) {
        for (char c : seed) state_ = (state_ ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
    std::size_t below(std::size_t n) {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<std::size_t>((z ^ (z >> 31)) % n);
    }
    template <std::size_t N>
    std::string pick(const std::array<std::string_view, N>& words) {
        return std::string(words[below(N)]);
    }

 private:
    std::uint64_t state_ = 14695981039346656037u;
};

std::string sentence(dice& d) {
    std::string text = " The " + d.pick(adjectives) + " " + d.pick(nouns);
    if (d.below(3) > 0) text += d.pick(clauses);
    return text + d.pick(endings);
}

}  // namespace

std::string make_fallback_reply(std::string_view prompt) {
    dice d(prompt);
    std::string text(fallback_opening);
    text += d.pick(adjectives) + " " + d.pick(nouns) + ".";
    for (std::size_t n = 3 + d.below(4); n > 0; --n) text += sentence(d);
    return text + " Is there anything else you would like to know?";
}

}  // namespace tandem::mock
