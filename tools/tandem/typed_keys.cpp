#include "typed_keys.hpp"

#include "text/utf8.hpp"
#include "typed_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tandem::command {
namespace {

using kind = typed_key::kind;

constexpr char esc = '\x1b';
constexpr std::string_view paste_begins = "\x1b[200~";
constexpr std::string_view paste_ends = "\x1b[201~";

struct sequence_row {
    std::string_view bytes;
    kind what;
};

// What xterm, VTE, the Linux console, tmux and screen send.
constexpr sequence_row sequences[] = {
    {"\x1b[A", kind::earlier},
    {"\x1bOA", kind::earlier},
    {"\x1b[B", kind::later},
    {"\x1bOB", kind::later},
    {"\x1b[C", kind::right},
    {"\x1bOC", kind::right},
    {"\x1b[D", kind::left},
    {"\x1bOD", kind::left},
    {"\x1b[1;5C", kind::word_right},
    {"\x1b[1;3C", kind::word_right},
    {"\x1b[1;5D", kind::word_left},
    {"\x1b[1;3D", kind::word_left},
    {"\x1b[H", kind::line_start},
    {"\x1bOH", kind::line_start},
    {"\x1b[1~", kind::line_start},
    {"\x1b[7~", kind::line_start},
    {"\x1b[F", kind::line_end},
    {"\x1bOF", kind::line_end},
    {"\x1b[4~", kind::line_end},
    {"\x1b[8~", kind::line_end},
    {"\x1b[3~", kind::erase_next},
    {"\x1b[3;5~", kind::erase_next_word},
    {"\x1b\x7f", kind::erase_word},
    {"\x1b"
     "b",
     kind::word_left},
    {"\x1b"
     "f",
     kind::word_right},
    {"\x1b"
     "d",
     kind::erase_next_word},
};

constexpr char ctrl(char letter) {
    return static_cast<char>(letter & 0x1F);
}

struct control_row {
    char byte;
    kind what;
};

constexpr control_row controls[] = {
    {'\r', kind::enter},
    {'\n', kind::enter},
    {ctrl('A'), kind::line_start},
    {ctrl('B'), kind::left},
    {ctrl('D'), kind::end_of_input},
    {ctrl('E'), kind::line_end},
    {ctrl('F'), kind::right},
    {ctrl('H'), kind::erase},
    {'\x7f', kind::erase},
    {ctrl('K'), kind::erase_to_end},
    {ctrl('N'), kind::later},
    {ctrl('P'), kind::earlier},
    {ctrl('T'), kind::transpose},
    {ctrl('U'), kind::erase_to_start},
    {ctrl('W'), kind::erase_word},
    {ctrl('Y'), kind::put_back},
    {ctrl('Z'), kind::suspend},
};

template <class Rows, class Key>
std::optional<kind> kind_of(const Rows& rows, const Key& wanted) {
    for (const auto& [key, what] : rows)
        if (key == wanted) return what;
    return std::nullopt;
}

bool is_control(char c) noexcept {
    return (c >= 0 && c < ' ') || c == '\x7f';
}

// Text as it is shown and sent; bytes that are no characters stand out.
std::string whole_characters(std::string_view text) {
    std::string result;
    for (auto rest = text; !rest.empty();) {
        const auto bad = std::min(text::find_invalid(rest), rest.size());
        result += rest.substr(0, bad);
        rest.remove_prefix(bad);
        if (rest.empty()) break;
        result += text::replacement_character;
        rest.remove_prefix(text::first_character(rest).bytes);
    }
    return without_controls(result);
}

}  // namespace

std::vector<typed_key> key_decoder::take(std::string_view bytes) {
    waiting_ += bytes;
    std::vector<typed_key> keys;
    while (!waiting_.empty()) {
        if (in_paste_) {
            if (!take_pasted()) break;
            const auto whole = whole_characters(std::exchange(pasted_, {}));
            keys.push_back({.what = kind::pasted,
                            .text = std::string(without_last_breaks(whole)),
                            .missing = std::exchange(missing_, 0)});
        } else if (waiting_.front() == esc) {
            if (!take_sequence(keys)) break;
        } else if (is_control(waiting_.front())) {
            take_control(keys);
        } else if (!take_text(keys)) {
            break;
        }
    }
    return keys;
}

// False if the end of what is pasted did not come yet.
bool key_decoder::take_pasted() {
    const auto end = waiting_.find(paste_ends);
    in_paste_ = end == waiting_.npos;
    // The end may have come in part.
    const auto kept = std::min(paste_ends.size() - 1, waiting_.size());
    const auto size = in_paste_ ? waiting_.size() - kept : end;
    const auto fits = std::min(size, max_pasted_ - pasted_.size());
    pasted_.append(waiting_, 0, fits);
    missing_ += size - fits;
    waiting_.erase(0, in_paste_ ? size : size + paste_ends.size());
    return !in_paste_;
}

// False if it is not whole yet.
bool key_decoder::take_sequence(std::vector<typed_key>& keys) {
    auto length = escape_sequence(waiting_);
    if (length == 0) return false;
    if (waiting_.size() > 1 && waiting_[1] == '\x7f') length = 2;
    const auto bytes = waiting_.substr(0, length);
    const auto known = kind_of(sequences, std::string_view(bytes));
    in_paste_ = bytes == paste_begins;
    // A letter behind the key Escape alone is text.
    const bool is_letter = !known && length == 2;
    waiting_.erase(0, is_letter ? 1 : length);
    if (known) keys.push_back({.what = *known});
    return true;
}

void key_decoder::take_control(std::vector<typed_key>& keys) {
    if (const auto known = kind_of(controls, waiting_.front())) keys.push_back({.what = *known});
    waiting_.erase(0, 1);
}

// False if it is the start of a character.
bool key_decoder::take_text(std::vector<typed_key>& keys) {
    const auto end = std::find_if(waiting_.begin(), waiting_.end(), is_control);
    auto size = static_cast<std::size_t>(end - waiting_.begin());
    if (size == waiting_.size()) size -= text::incomplete_suffix(waiting_);
    if (size == 0) return false;
    const auto text = whole_characters(std::string_view(waiting_).substr(0, size));
    waiting_.erase(0, size);
    if (!text.empty()) keys.push_back({.what = kind::text, .text = text});
    return true;
}

}  // namespace tandem::command
