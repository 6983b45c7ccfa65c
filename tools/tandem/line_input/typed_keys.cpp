#include "line_input/typed_keys.hpp"

#include "line_input/terminal_controls.hpp"
#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tandem::command {
namespace {

using key_kind = typed_key::kind;

constexpr char escape_byte = '\x1b';
constexpr std::string_view paste_begins = "\x1b[200~";
constexpr std::string_view paste_ends = "\x1b[201~";

struct sequence_row {
    std::string_view bytes;
    key_kind what;
};

// Sequences sent by xterm, VTE, the Linux console, tmux and screen. ESC is written as "\033" where
// a hexadecimal digit follows.
constexpr sequence_row sequences[] = {
    {"\x1b[A", key_kind::earlier},       {"\x1bOA", key_kind::earlier},
    {"\x1b[B", key_kind::later},         {"\x1bOB", key_kind::later},
    {"\x1b[C", key_kind::right},         {"\x1bOC", key_kind::right},
    {"\x1b[D", key_kind::left},          {"\x1bOD", key_kind::left},
    {"\x1b[1;5C", key_kind::word_right}, {"\x1b[1;3C", key_kind::word_right},
    {"\x1b[1;5D", key_kind::word_left},  {"\x1b[1;3D", key_kind::word_left},
    {"\x1b[H", key_kind::line_start},    {"\x1bOH", key_kind::line_start},
    {"\x1b[1~", key_kind::line_start},   {"\x1b[7~", key_kind::line_start},
    {"\x1b[F", key_kind::line_end},      {"\x1bOF", key_kind::line_end},
    {"\x1b[4~", key_kind::line_end},     {"\x1b[8~", key_kind::line_end},
    {"\x1b[3~", key_kind::erase_next},   {"\x1b[3;5~", key_kind::erase_next_word},
    {"\x1b\x7f", key_kind::erase_word},  {"\033b", key_kind::word_left},
    {"\033f", key_kind::word_right},     {"\033d", key_kind::erase_next_word},
};

constexpr char ctrl(char letter) {
    return static_cast<char>(letter & 0x1F);
}

struct control_row {
    char byte;
    key_kind what;
};

constexpr control_row controls[] = {
    {'\r', key_kind::enter},
    {'\n', key_kind::enter},
    {ctrl('A'), key_kind::line_start},
    {ctrl('B'), key_kind::left},
    {ctrl('D'), key_kind::end_of_input},
    {ctrl('E'), key_kind::line_end},
    {ctrl('F'), key_kind::right},
    {ctrl('H'), key_kind::erase},
    {'\x7f', key_kind::erase},
    {ctrl('K'), key_kind::erase_to_end},
    {ctrl('N'), key_kind::later},
    {ctrl('P'), key_kind::earlier},
    {ctrl('T'), key_kind::transpose},
    {ctrl('U'), key_kind::erase_to_start},
    {ctrl('W'), key_kind::erase_word},
    {ctrl('Y'), key_kind::put_back},
    {ctrl('Z'), key_kind::suspend},
};

template <class Rows, class Key>
std::optional<key_kind> kind_of(const Rows& rows, const Key& wanted) {
    for (const auto& [key, what] : rows)
        if (key == wanted) return what;
    return std::nullopt;
}

bool is_control_byte(char c) noexcept {
    return (c >= 0 && c < ' ') || c == '\x7f';
}

// Returns the text without control characters, with invalid bytes replaced by U+FFFD.
std::string whole_characters(std::string_view text) {
    return strip_controls(sanitized_utf8(text));
}

}  // namespace

std::vector<typed_key> key_decoder::decode(std::string_view bytes) {
    waiting_ += bytes;
    std::vector<typed_key> keys;
    while (!waiting_.empty()) {
        if (in_paste_) {
            if (!take_pasted()) break;
            const auto whole = whole_characters(std::exchange(pasted_, {}));
            keys.push_back({.what = key_kind::pasted,
                            .text = std::string(strip_line_breaks(whole)),
                            .missing = std::exchange(missing_, 0)});
        } else if (waiting_.front() == escape_byte) {
            if (!take_sequence(keys)) break;
        } else if (is_control_byte(waiting_.front())) {
            take_control(keys);
        } else if (!take_text(keys)) {
            break;
        }
    }
    return keys;
}

// Returns false if the end of the paste has not arrived yet.
bool key_decoder::take_pasted() {
    const auto end = waiting_.find(paste_ends);
    in_paste_ = end == waiting_.npos;
    // The end marker may have arrived only in part.
    const auto kept = std::min(paste_ends.size() - 1, waiting_.size());
    const auto size = in_paste_ ? waiting_.size() - kept : end;
    const auto fits = std::min(size, max_pasted_ - pasted_.size());
    pasted_.append(waiting_, 0, fits);
    missing_ += size - fits;
    waiting_.erase(0, in_paste_ ? size : size + paste_ends.size());
    return !in_paste_;
}

// Returns false if the sequence is incomplete.
bool key_decoder::take_sequence(std::vector<typed_key>& keys) {
    auto length = measure_escape_sequence(waiting_);
    if (length == 0) return false;
    if (waiting_.size() > 1 && waiting_[1] == '\x7f') length = 2;
    const auto bytes = waiting_.substr(0, length);
    const auto known = kind_of(sequences, std::string_view(bytes));
    in_paste_ = bytes == paste_begins;
    // A letter typed after the Escape key is text.
    const bool is_letter = !known && length == 2;
    waiting_.erase(0, is_letter ? 1 : length);
    if (known) keys.push_back({.what = *known});
    return true;
}

void key_decoder::take_control(std::vector<typed_key>& keys) {
    if (const auto known = kind_of(controls, waiting_.front())) keys.push_back({.what = *known});
    waiting_.erase(0, 1);
}

// Returns false if only the start of a character has arrived.
bool key_decoder::take_text(std::vector<typed_key>& keys) {
    const auto end = std::find_if(waiting_.begin(), waiting_.end(), is_control_byte);
    auto size = static_cast<std::size_t>(end - waiting_.begin());
    if (size == waiting_.size()) size -= text::incomplete_suffix(waiting_);
    if (size == 0) return false;
    const auto text = whole_characters(std::string_view(waiting_).substr(0, size));
    waiting_.erase(0, size);
    if (!text.empty()) keys.push_back({.what = key_kind::text, .text = text});
    return true;
}

}  // namespace tandem::command
