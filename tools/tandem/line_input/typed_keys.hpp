#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// What was typed in a terminal.
struct typed_key {
    enum class kind {
        text,
        pasted,
        enter,
        end_of_input,  ///< Ctrl-D
        suspend,       ///< Ctrl-Z, where the terminal does not know it
        left,
        right,
        word_left,
        word_right,
        line_start,
        line_end,
        earlier,
        later,
        erase,
        erase_next,
        erase_word,
        erase_next_word,
        erase_to_start,
        erase_to_end,
        put_back,
        transpose,
    };
    kind what = kind::text;
    /// Of text and pasted; whole characters without control characters but "\n" and "\t".
    std::string text{};
    /// How many bytes of what was pasted are missing, as it was too long.
    std::size_t missing = 0;

    bool operator==(const typed_key&) const = default;
};

/// Makes keys of a terminal's bytes, which come in any parts. A key that it does not know is
/// dropped with all its bytes. Memory: what is pasted, of which `max_pasted` bytes are kept.
class key_decoder {
 public:
    explicit key_decoder(std::size_t max_pasted) : max_pasted_(max_pasted) {}

    std::vector<typed_key> take(std::string_view bytes);

 private:
    bool take_pasted();
    bool take_sequence(std::vector<typed_key>& keys);
    bool take_text(std::vector<typed_key>& keys);
    void take_control(std::vector<typed_key>& keys);

    std::size_t max_pasted_;
    std::string waiting_;  // bytes that are no whole key yet
    std::string pasted_;
    std::size_t missing_ = 0;
    bool in_paste_ = false;
};

}  // namespace tandem::command
