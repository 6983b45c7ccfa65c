#include "answers/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace tandem::mock {
namespace {

constexpr std::string_view punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::array<std::string_view, 3> special_names = {"<|endoftext|>", "<|im_start|>",
                                                           "<|im_end|>"};

bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
bool is_letter(char c) {
    return is_lower(c) || is_upper(c);
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_punctuation(char c) {
    return punctuation.find(c) != std::string_view::npos;
}

// A set of numbered strings of 1 to `longest` characters. There are `first` choices for the first
// character of a string, and `rest` choices for each other character.
struct family {
    std::int64_t first;
    std::int64_t rest;
    int longest;
    bool (*starts)(char);
    bool (*goes_on)(char);
    int (*number)(char);
    char (*character)(int number);

    constexpr std::int64_t of_length(int n) const {
        std::int64_t count = first;
        for (int i = 1; i < n; ++i) count *= rest;
        return count;
    }
    constexpr std::int64_t size() const {
        std::int64_t count = 0;
        for (int n = 1; n <= longest; ++n) count += of_length(n);
        return count;
    }
};

int letter_number(char c) {
    return is_lower(c) ? c - 'a' : 26 + c - 'A';
}
char letter(int number) {
    return static_cast<char>(number < 26 ? 'a' + number : 'A' + number - 26);
}
int digit_number(char c) {
    return c - '0';
}
char digit(int number) {
    return static_cast<char>('0' + number);
}
int punctuation_number(char c) {
    return static_cast<int>(punctuation.find(c));
}
char punctuation_mark(int number) {
    return punctuation[static_cast<std::size_t>(number)];
}

constexpr std::array<family, 3> families = {{
    {10, 10, 3, is_digit, is_digit, digit_number, digit},
    {32, 32, 3, is_punctuation, is_punctuation, punctuation_number, punctuation_mark},
    {52, 26, 6, is_letter, is_lower, letter_number, letter},
}};

constexpr std::int64_t families_begin = 512;

constexpr std::int64_t families_end() {
    std::int64_t end = families_begin;
    for (const family& f : families) end += 2 * f.size();
    return end;
}
static_assert(families_end() < INT32_MAX);

std::int64_t encode(const family& f, std::string_view body) {
    std::int64_t value = f.number(body[0]);
    for (char c : body.substr(1)) value = value * f.rest + f.number(c);
    for (int n = 1; n < static_cast<int>(body.size()); ++n) value += f.of_length(n);
    return value;
}

std::string decode(const family& f, std::int64_t value, bool space) {
    int length = 1;
    while (value >= f.of_length(length)) value -= f.of_length(length++);
    const std::size_t begin = space ? 1 : 0;
    std::string piece(begin + static_cast<std::size_t>(length), ' ');
    for (std::size_t i = piece.size() - 1; i > begin; --i) {
        piece[i] = f.character(static_cast<int>(value % f.rest));
        value /= f.rest;
    }
    piece[begin] = f.character(static_cast<int>(value));
    return piece;
}

std::size_t run_length(const family& f, std::string_view text) {
    if (text.empty() || !f.starts(text[0])) return 0;
    std::size_t n = 1;
    while (n < text.size() && n < static_cast<std::size_t>(f.longest) && f.goes_on(text[n])) ++n;
    return n;
}

// The token at the start of `text`, and its length in bytes.
std::pair<token_id, std::size_t> next_token(std::string_view text) {
    const std::size_t space = text.size() > 1 && text[0] == ' ' ? 1 : 0;
    std::int64_t begin = families_begin;
    for (const family& f : families) {
        const std::size_t n = run_length(f, text.substr(space));
        if (n + space > 1 && n > 0) {
            const std::int64_t value = encode(f, text.substr(space, n));
            return {static_cast<token_id>(begin + 2 * value + static_cast<int>(space)), n + space};
        }
        begin += 2 * f.size();
    }
    return {static_cast<unsigned char>(text[0]), 1};
}

// The special token whose name `text` starts with; -1 if there is none.
token_id special_at(std::string_view text) {
    for (std::size_t i = 0; i < special_names.size(); ++i) {
        if (text.starts_with(special_names[i])) return bos_token + static_cast<token_id>(i);
    }
    return -1;
}

std::string_view special_name(token_id id) {
    return special_names[static_cast<std::size_t>(id - bos_token)];
}

// Offset of the next special token's name, or the end of the text.
std::size_t find_special(std::string_view text, std::size_t from) {
    while ((from = text.find("<|", from)) != std::string_view::npos) {
        if (special_at(text.substr(from)) >= 0) return from;
        ++from;
    }
    return text.size();
}

void append_plain(std::vector<token_id>& out, std::string_view text) {
    while (!text.empty()) {
        const auto [id, length] = next_token(text);
        out.push_back(id);
        text.remove_prefix(length);
    }
}

}  // namespace

token_id vocabulary_size() {
    return static_cast<token_id>(families_end());
}

bool is_token(std::int64_t id) {
    return (id >= 0 && id <= eos_token) || (id >= families_begin && id < families_end());
}

bool is_special(token_id id) {
    return id >= bos_token && id <= eos_token;
}

std::string get_token_bytes(token_id id) {
    if (id < bos_token) return std::string(1, static_cast<char>(id));
    if (is_special(id)) return std::string(special_name(id));
    std::int64_t value = id - families_begin;
    for (const family& f : families) {
        if (value < 2 * f.size()) return decode(f, value / 2, value % 2 != 0);
        value -= 2 * f.size();
    }
    return {};
}

std::string detokenize_text(const std::vector<token_id>& tokens) {
    std::string text;
    for (token_id id : tokens) text += get_token_bytes(id);
    return text;
}

std::string text_after_bos(const std::vector<token_id>& tokens) {
    const auto first =
        std::find_if(tokens.begin(), tokens.end(), [](token_id id) { return id != bos_token; });
    return detokenize_text({first, tokens.end()});
}

std::vector<token_id> tokenize(std::string_view text, bool parse_special) {
    std::vector<token_id> out;
    if (!parse_special) {
        append_plain(out, text);
        return out;
    }
    while (!text.empty()) {
        const std::size_t plain = find_special(text, 0);
        append_plain(out, text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) break;
        out.push_back(special_at(text));
        text.remove_prefix(special_name(out.back()).size());
    }
    return out;
}

}  // namespace tandem::mock
