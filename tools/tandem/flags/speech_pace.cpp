#include "flags/speech_pace.hpp"

#include "base/parse_number.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>

namespace tandem::command {
namespace {

constexpr double fastest = 100'000;
constexpr std::int64_t max_ns = 3'600'000'000'000'000;
constexpr double words_per_character = 0.5;

// Unicode ranges of scripts without spaces between words. Approximate ranges suffice to estimate
// the speaking rate.
bool is_written_without_spaces(char32_t c) noexcept {
    return (c >= 0x0E00 && c <= 0x0EFF) ||  // Thai, Lao
           (c >= 0x1000 && c <= 0x109F) ||  // Myanmar
           (c >= 0x1780 && c <= 0x17FF) ||  // Khmer
           (c >= 0x3001 && c <= 0x9FFF) ||  // CJK punctuation, kana, Han
           (c >= 0xF900 && c <= 0xFAFF) ||  // Han
           (c >= 0xFF01 && c <= 0xFF9F) ||  // fullwidth and halfwidth forms
           (c >= 0x20000 && c <= 0x3FFFF);  // Han
}

}  // namespace

std::optional<speech_pace> parse_speech_pace(std::string_view text) {
    if (text == "none") return speech_pace{};
    constexpr std::string_view prefix = "wpm=";
    if (!text.starts_with(prefix)) return std::nullopt;
    text.remove_prefix(prefix.size());
    const auto words_per_minute = parse_number<double>(text);
    if (!words_per_minute || !(*words_per_minute > 0 && *words_per_minute <= fastest))
        return std::nullopt;
    return speech_pace{*words_per_minute};
}

std::vector<spoken_word> split_words(std::string_view text) {
    std::vector<spoken_word> list;
    bool in_word = false;
    for (std::size_t at = 0; at < text.size();) {
        const auto c = text::decode_first_character(text.substr(at));
        const auto begin = at;
        at += c.bytes;
        const bool unspaced = is_written_without_spaces(c.character);
        const bool part_of_word = !unspaced && !text::is_white_space(c.character);
        if (unspaced) list.push_back({begin, at, words_per_character});
        if (part_of_word && in_word) list.back().end = at;
        if (part_of_word && !in_word) list.push_back({begin, at, 1});
        in_word = part_of_word;
    }
    return list;
}

double count_words(std::string_view text) {
    double words = 0;
    for (const auto& w : split_words(text)) words += w.words;
    return words;
}

duration speaking_time(speech_pace pace, std::string_view text) {
    if (pace.words_per_minute <= 0) return {};
    const double ns = count_words(text) / pace.words_per_minute * 60e9;
    return ns < max_ns ? duration(std::llround(ns)) : duration(max_ns);
}

std::string describe_too_slow_speech(speech_pace pace, duration speech, duration continue_timeout) {
    using namespace std::chrono;
    constexpr auto max_timeout = hours(24);
    // Recommends 25 % more than this chunk needs, because later chunks may be longer.
    const auto enough = ceil<minutes>(speech * 5 / 4);
    const auto timeout = enough <= max_timeout
                             ? fmt::format("--continue-timeout {}m or more, or ", enough.count())
                             : "";
    return fmt::format(
        "at --tts wpm={:g} this chunk is spoken for {}, longer than --continue-timeout {}; set "
        "{}a faster --tts",
        pace.words_per_minute, to_string(ceil<seconds>(speech)), to_string(continue_timeout),
        timeout);
}

}  // namespace tandem::command
