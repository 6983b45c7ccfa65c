#include "segment/segment_text.hpp"

#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::command {
namespace {

bool is_line_break(char32_t c) {
    return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_control(char32_t c) {
    return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0);
}

std::string one_line(std::string_view sentence) {
    std::string line;
    std::string space;  // pending white space, dropped at the end
    bool broken = false;
    for (auto c = text::decode_first_character(sentence); c.bytes > 0;
         c = text::decode_first_character(sentence)) {
        const bool line_break = is_line_break(c.character);
        if (line_break && !broken) space += ' ';
        broken = line_break;
        if (!line_break && text::is_white_space(c.character)) space += sentence.substr(0, c.bytes);
        if (!line_break && !text::is_white_space(c.character)) {
            if (!line.empty()) line += space;
            space.clear();
            text::append_utf8(line, is_control(c.character) ? U'\uFFFD' : c.character);
        }
        sentence.remove_prefix(c.bytes);
    }
    return line;
}

}  // namespace

std::string sentence_lines(const std::vector<std::string>& sentences) {
    std::string lines;
    for (const auto& s : sentences)
        if (!text::is_all_white_space(s)) lines += one_line(s) + '\n';
    return lines;
}

}  // namespace tandem::command
