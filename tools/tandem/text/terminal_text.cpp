#include "text/terminal_text.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <array>
#include <cwchar>
#include <utility>

namespace tandem::command {
namespace {

struct glyph {
    std::string bytes;
    int columns = 0;
    bool space = false;
};

// Removes the first character from `text`, and returns it as it is displayed.
glyph take_glyph(std::string_view& text) {
    const auto c = text::decode_first_character(text);
    const auto bytes = text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
    if (text::is_white_space(c.character)) return {" ", 1, true};
    const int columns = ::wcwidth(static_cast<wchar_t>(c.character));
    const bool shown = columns >= 0 && text::find_invalid_utf8(bytes) == std::string_view::npos;
    if (!shown) return {std::string(text::replacement_character), 1, false};
    return {std::string(bytes), columns, false};
}

// A number stays on one line with its unit, as in "96 %" and "1.2 s".
bool is_unit(std::string_view word) {
    constexpr std::array<std::string_view, 7> units{"%", "µs", "ms", "s", "min", "KiB", "MiB"};
    word = word.substr(0, word.find_last_not_of(".,;:)") + 1);
    return std::ranges::find(units, word) != units.end();
}

bool ends_in_digit(std::string_view text) {
    return !text.empty() && text.back() >= '0' && text.back() <= '9';
}

// Fills lines with glyphs.
class line_filler {
 public:
    line_filler(int width, int column) : width_(width), columns_(column) {}

    void add(const glyph& g) {
        if (g.space) return end_word(), void(++spaces_);
        if (g.columns > 1) end_word();
        if (word_columns_ + g.columns > width_) end_word();
        word_ += g.bytes;
        word_columns_ += g.columns;
        if (g.columns > 1) end_word();
    }
    void end_line() {
        end_word();
        lines_.push_back(std::exchange(line_, {}));
        columns_ = 0;
        spaces_ = 0;
        last_word_ = 0;
    }
    std::vector<std::string> take() {
        end_word();
        if (!line_.empty()) end_line();
        return std::move(lines_);
    }

 private:
    void end_word() {
        if (word_.empty()) return;
        if (columns_ > 0 && columns_ + spaces_ + word_columns_ > width_) break_line();
        if (columns_ == 0) spaces_ = 0;
        line_ += std::string(static_cast<std::size_t>(spaces_), ' ');
        last_word_ = line_.size();
        line_ += word_;
        columns_ += spaces_ + word_columns_;
        word_.clear();
        word_columns_ = spaces_ = 0;
    }

    // Moves a number to the next line together with its unit, unless the number starts this line.
    void break_line() {
        auto number = last_word_ > 0 ? line_.substr(last_word_) : std::string();
        const bool stays_together = is_unit(word_) && ends_in_digit(number) &&
                                    count_columns(number) + spaces_ + word_columns_ <= width_;
        if (stays_together)
            line_.resize(line_.find_last_not_of(' ', last_word_ - 1) + 1);
        else
            number.clear();
        lines_.push_back(std::exchange(line_, number));
        columns_ = count_columns(line_);
        if (line_.empty()) spaces_ = 0;
    }

    int width_;
    int columns_;
    std::string word_;
    std::string line_;
    std::size_t last_word_ = 0;  // start of the last word in the line
    int word_columns_ = 0;
    int spaces_ = 0;
    std::vector<std::string> lines_;
};

}  // namespace

int count_columns(std::string_view text) {
    int columns = 0;
    while (!text.empty()) columns += take_glyph(text).columns;
    return columns;
}

std::string pad_to_columns(std::string text, int columns) {
    text.append(static_cast<std::size_t>(std::max(0, columns - count_columns(text))), ' ');
    return text;
}

std::string truncate_to_width(std::string_view text, int width) {
    std::string result;
    std::size_t fitting = 0;  // bytes of the longest prefix that leaves room for "…"
    int columns = 0;
    while (!text.empty()) {
        const auto g = take_glyph(text);
        columns += g.columns;
        if (columns > width) return result.substr(0, fitting) + "…";
        result += g.bytes;
        if (columns < width) fitting = result.size();
    }
    return result;
}

std::vector<std::string> wrap_text(std::string_view text, int width, int column) {
    line_filler lines(width, column);
    while (!text.empty()) {
        const bool line_break = text.front() == '\n';
        const auto g = take_glyph(text);
        if (line_break)
            lines.end_line();
        else
            lines.add(g);
    }
    return lines.take();
}

}  // namespace tandem::command
