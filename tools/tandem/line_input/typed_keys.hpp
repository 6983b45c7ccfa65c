#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A key press or a paste in a terminal.
struct typed_key {
    enum class kind {
        text,
        pasted,
        enter,
        end_of_input,  ///< Ctrl-D
        suspend,       ///< Ctrl-Z, if the terminal does not handle it
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
    /// For the kinds text and pasted: complete characters, without control characters except "\n"
    /// and "\t".
    std::string text{};
    /// Bytes dropped from a paste that exceeds the limit.
    std::size_t missing = 0;

    bool operator==(const typed_key&) const = default;
};

/// Decodes the byte stream of a terminal into keys. The bytes may arrive in fragments of any size.
/// All bytes of an unknown key are dropped. Memory: up to `max_pasted` bytes of a paste.
class key_decoder {
 public:
    explicit key_decoder(std::size_t max_pasted) : max_pasted_(max_pasted) {}

    std::vector<typed_key> decode(std::string_view bytes);

 private:
    bool take_pasted();
    bool take_sequence(std::vector<typed_key>& keys);
    bool take_text(std::vector<typed_key>& keys);
    void take_control(std::vector<typed_key>& keys);

    std::size_t max_pasted_;
    std::string waiting_;  // bytes of an incomplete key
    std::string pasted_;
    std::size_t missing_ = 0;
    bool in_paste_ = false;
};

}  // namespace tandem::command
