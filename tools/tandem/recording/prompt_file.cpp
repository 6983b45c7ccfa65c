#include "recording/prompt_file.hpp"

#include "recording/prompt_line.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class file_parser {
 public:
    void read_line(std::string_view line, std::size_t offset) {
        ++line_number_;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
        if (line.size() > max_line_bytes)
            return add(fmt::format("the line has {} bytes; the maximum is {}", line.size(),
                                   max_line_bytes));
        if (const auto bad = text::find_invalid_utf8(line); bad != std::string_view::npos)
            return add(fmt::format("invalid UTF-8 at byte {} of the line, byte {} of the file",
                                   bad + 1, offset + bad + 1));
        read_dialogue(line);
    }

    prompt_file result;

 private:
    void read_dialogue(std::string_view line) {
        dialogue d{.line = line_number_};
        for (auto& message : parse_prompt_line(line, d)) add(std::move(message));
        ++count_;
        if (d.id.empty()) d.id = fmt::format("p{}", count_);
        const auto [taken, is_new] = line_of_id_.emplace(d.id, line_number_);
        if (!is_new) add(fmt::format("the id \"{}\" is that of line {}", d.id, taken->second));
        result.dialogues.push_back(std::move(d));
    }

    void add(std::string message) { result.faults.push_back({line_number_, std::move(message)}); }

    std::size_t line_number_ = 0;
    int count_ = 0;
    std::map<std::string, std::size_t> line_of_id_;
};

}  // namespace

prompt_file parse_prompts(std::string_view text) {
    file_parser parser;
    std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
    while (at < text.size()) {
        const auto end = std::min(text.find('\n', at), text.size());
        parser.read_line(text.substr(at, end - at), at);
        at = end + 1;
    }
    return std::move(parser.result);
}

}  // namespace tandem::command
