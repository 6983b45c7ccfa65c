#include "gateway/policy/prompt_filter.hpp"

#include "base/format_count.hpp"
#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tandem::gateway {
namespace {

constexpr std::size_t max_denied = 10'000;
constexpr std::size_t min_denied_bytes = 2;  // the index uses their first two bytes
constexpr std::size_t max_denied_bytes = 256;
constexpr std::size_t starts = 65536;  // number of two-byte prefixes

/// Lower case, with each run of white space replaced by one space.
std::string folded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto [character, bytes] = text::decode_first_character(text);
        text.remove_prefix(bytes);
        if (!text::is_white_space(character))
            text::append_utf8(out, text::to_lowercase(character));
        else if (!out.ends_with(' '))
            out += ' ';
    }
    return out;
}

std::size_t first_two(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::size_t>(static_cast<unsigned char>(text[i]));
    };
    return byte(at) << 8 | byte(at + 1);
}

/// Returns the words whose byte at index `size` is `byte`. `words` are sorted, share their first
/// `size` bytes, and have more bytes than that.
std::span<const std::string> with_byte(std::span<const std::string> words, std::size_t size,
                                       char byte) {
    const auto byte_of = [&](const std::string& word) {
        return static_cast<unsigned char>(word[size]);
    };
    const auto wanted = static_cast<unsigned char>(byte);
    return {std::ranges::lower_bound(words, wanted, {}, byte_of),
            std::ranges::upper_bound(words, wanted, {}, byte_of)};
}

bool belongs_to_word(char32_t c) noexcept {
    return text::is_letter(c) || text::is_digit(c);
}

/// Whether the boundary between `before` and `after` is inside a word.
bool is_inside_word(std::string_view before, std::string_view after) {
    const auto left = text::decode_last_character(before).character;
    const auto right = text::decode_first_character(after).character;
    return belongs_to_word(left) && belongs_to_word(right) &&
           !text::is_written_without_spaces(left) && !text::is_written_without_spaces(right);
}

bool is_whole(std::string_view text, std::size_t at, std::size_t size) {
    return !is_inside_word(text.substr(0, at), text.substr(at)) &&
           !is_inside_word(text.substr(0, at + size), text.substr(at + size));
}

/// Receives the JSON parser's events, and keeps no value. Stops the parser at the first string or
/// member name for which `matches` returns true.
template <class Matches>
class string_finder {
 public:
    explicit string_finder(Matches matches) : matches_(std::move(matches)) {}

    bool null() { return true; }
    bool boolean(bool) { return true; }
    bool number_integer(std::int64_t) { return true; }
    bool number_unsigned(std::uint64_t) { return true; }
    bool number_float(double, const std::string&) { return true; }
    bool string(std::string& text) { return look_at(text); }
    bool binary(nlohmann::json::binary_t&) { return true; }
    bool key(std::string& name) { return look_at(name); }
    bool start_object(std::size_t) { return true; }
    bool end_object() { return true; }
    bool start_array(std::size_t) { return true; }
    bool end_array() { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
        return false;
    }

    bool has_found() const noexcept { return has_found_; }

 private:
    bool look_at(const std::string& text) {
        has_found_ = matches_(text);
        return !has_found_;
    }

    Matches matches_;
    bool has_found_ = false;
};

void check_word(std::string_view word, std::string at, std::vector<config_fault>& faults) {
    const auto fold = folded(word);
    if (text::find_invalid_utf8(word) != std::string_view::npos)
        faults.push_back({std::move(at), "is not valid UTF-8"});
    else if (fold.size() < min_denied_bytes || word.size() > max_denied_bytes || fold == " ")
        faults.push_back({std::move(at), fmt::format("has {}; {} to {} are possible",
                                                     format_count(std::ssize(word), "byte"),
                                                     min_denied_bytes, max_denied_bytes)});
    else if (fold.starts_with(' ') || fold.ends_with(' '))
        faults.push_back({std::move(at), "begins or ends with white space"});
}

}  // namespace

std::vector<config_fault> check(const prompt_rules& rules) {
    std::vector<config_fault> faults;
    if (rules.denied.size() > max_denied)
        faults.push_back({"denied", fmt::format("has {} words; the maximum is {}",
                                                rules.denied.size(), max_denied)});
    for (std::size_t i = 0; i < std::min(rules.denied.size(), max_denied); ++i)
        check_word(rules.denied[i], fmt::format("denied[{}]", i), faults);
    return faults;
}

prompt_filter::prompt_filter(const prompt_rules& rules)
    : max_bytes_(rules.max_bytes), begins_(starts + 1) {
    for (const auto& word : rules.denied) denied_.push_back(folded(word));
    std::ranges::sort(denied_);
    denied_.erase(std::unique(denied_.begin(), denied_.end()), denied_.end());
    for (const auto& word : denied_) ++begins_[first_two(word, 0) + 1];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
}

std::optional<api_error> prompt_filter::find_violation(
    std::span<const std::string_view> texts) const {
    std::size_t bytes = 0;
    for (const auto& text : texts) bytes += text.size();
    if (max_bytes_ > 0 && bytes > max_bytes_)
        return make_error(400, "prompt_too_large",
                          fmt::format("the messages have {} bytes of text; the maximum is {}",
                                      bytes, max_bytes_));
    if (std::ranges::any_of(texts, [&](std::string_view text) { return is_denied(text); }))
        return make_error(400, "content_policy", "the prompt contains words that are not allowed");
    return std::nullopt;
}

// Tools, schemas and arguments are JSON, in which escapes could hide words, so the decoded strings
// are checked, too. In a text that is not JSON, the parser stops at the first error.
bool prompt_filter::is_denied(std::string_view text) const {
    if (denied_.empty()) return false;
    if (has_denied_word(text)) return true;
    if (text.find('\\') == text.npos) return false;
    string_finder finder([this](std::string_view part) { return has_denied_word(part); });
    nlohmann::json::sax_parse(text, &finder);
    return finder.has_found();
}

bool prompt_filter::has_denied_word(std::string_view text) const {
    const auto fold = folded(text);
    for (std::size_t at = 0; at + min_denied_bytes <= fold.size(); ++at)
        if (has_denied_at(fold, at)) return true;
    return false;
}

// Narrows down the range of sorted words byte by byte, so that the cost does not depend on how many
// words share a prefix.
bool prompt_filter::has_denied_at(std::string_view folded, std::size_t at) const {
    const auto start = first_two(folded, at);
    auto words = std::span(denied_).subspan(begins_[start], begins_[start + 1] - begins_[start]);
    for (auto size = min_denied_bytes; !words.empty(); ++size) {
        if (words.front().size() == size) {
            if (is_whole(folded, at, size)) return true;
            words = words.subspan(1);
        }
        if (at + size == folded.size()) return false;
        words = with_byte(words, size, folded[at + size]);
    }
    return false;
}

}  // namespace tandem::gateway
