#include "text/speech/markdown_lines.hpp"

#include <iterator>

namespace tandem::text {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view bullets[] = {"-",           "*", "+", "\xE2\x80\xA2", "\xE2\x97\xA6",
                                        "\xE2\x96\xAA"};
constexpr std::string_view boxes[] = {"[ ]", "[x]", "[X]"};

/// Bytes of a mark of `length` bytes and the white space after it; 0 if text directly follows the
/// mark.
std::size_t with_space(std::string_view line, std::size_t length) noexcept {
    const auto next = line.find_first_not_of(blanks, length);
    if (next == std::string_view::npos) return line.size();
    return next > length ? next : 0;
}

/// Whether the text after the marks of a fence may be a language: "c++", but not "Done!".
bool is_language(std::string_view text) noexcept {
    const auto end = text.find_last_not_of(blanks) + 1;
    const auto is_graph = [](char c) { return c > ' ' && c < 0x7F; };
    return end > 0 && std::ranges::all_of(text.substr(0, end), is_graph) &&
           std::string_view(".,:;!?").find(text[end - 1]) == std::string_view::npos;
}

}  // namespace

std::optional<code_fence> parse_opening_fence(std::string_view line) noexcept {
    if (!line.starts_with("```") && !line.starts_with("~~~")) return std::nullopt;
    const auto length = count_leading_marks(line[0], line);
    // Marks that occur again on the same line enclose words of that line.
    if (line.find(line[0], length) != std::string_view::npos) return std::nullopt;
    return code_fence{line[0], length};
}

std::size_t measure_closing_fence(code_fence fence, std::string_view line) noexcept {
    const auto length = count_leading_marks(fence.mark, line);
    return length >= fence.length && !is_language(line.substr(length)) ? length : 0;
}

std::size_t measure_code_before_fence(code_fence fence, std::string_view line) noexcept {
    const auto last = line.find_last_not_of(blanks);
    if (fence.mark != '`' || last == std::string_view::npos) return 0;
    const auto code = line.find_last_not_of(fence.mark, last);
    return code != std::string_view::npos && last - code >= fence.length ? code + 1 : 0;
}

bool is_horizontal_rule(std::string_view line) noexcept {
    const auto consists_of = [line](std::string_view marks) {
        return line.find_first_not_of(marks) == std::string_view::npos;
    };
    if (line.empty()) return false;
    const auto count = std::count(line.begin(), line.end(), line[0]);
    switch (line[0]) {
        case '-':
            if (consists_of("|:- \t\r") && line.find('|') != std::string_view::npos) return true;
            return count >= 3 && consists_of("- \t\r");
        case '*':
            return count >= 3 && consists_of("* \t\r");
        case '_':
            return count >= 3 && consists_of("_ \t\r");
        case '=':
            return count >= 3 && consists_of("= \t\r");
        case '|':
        case ':':
            return consists_of("|:- \t\r") && line.find('-') != std::string_view::npos;
        default:
            return false;
    }
}

std::size_t measure_heading_mark(std::string_view line) noexcept {
    const auto length = count_leading_marks('#', line);
    return length >= 1 && length <= 6 ? with_space(line, length) : 0;
}

std::size_t measure_quote_mark(std::string_view line) noexcept {
    if (!line.starts_with('>')) return 0;
    return std::min(line.find_first_not_of(blanks, 1), line.size());
}

std::size_t measure_bullet_mark(std::string_view line) noexcept {
    const auto starts_line = [line](std::string_view bullet) { return line.starts_with(bullet); };
    const auto* bullet = std::ranges::find_if(bullets, starts_line);
    if (bullet == std::end(bullets)) return 0;
    const auto length = with_space(line, bullet->size());
    for (const auto box : boxes) {
        if (length == 0 || !line.substr(length).starts_with(box)) continue;
        if (const auto end = with_space(line, length + box.size())) return end;
    }
    return length;
}

}  // namespace tandem::text
