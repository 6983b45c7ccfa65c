#include "help_format.hpp"

#include "text_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace tandem::command {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t help_column = 32;

// `text` in lines that start at the help column, the first one behind `head`.
std::string row(std::string head, std::string_view text) {
    head = "  " + head;
    if (head.size() + 1 > help_column) head += '\n' + std::string(help_column, ' ');
    auto column = help_column;
    std::string result = fmt::format("{:<{}}", head, help_column);
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        if (column > help_column && column + word.size() + 1 > width) {
            result += '\n' + std::string(help_column, ' ');
            column = help_column;
        }
        if (column > help_column) result += ' ', ++column;
        result += word;
        column += word.size();
        text.remove_prefix(std::min(text.size(), word.size() + 1));
    }
    return result + '\n';
}

std::string head_of(const CLI::Option& o) {
    if (o.get_positional()) return o.get_name(true);
    const auto value = o.get_type_name();
    return o.get_name(false, true) + (o.get_items_expected_max() > 0 ? " " + value : "");
}

std::string group_text(const CLI::App& app, const std::string& group) {
    std::string text;
    for (const auto* o :
         app.get_options([&](const CLI::Option* p) { return p->get_group() == group; }))
        text += row(head_of(*o), o->get_description());
    return text.empty() ? text : fmt::format("\n{}:\n{}", group, text);
}

std::string commands_text(const CLI::App& app) {
    std::string text;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
        const auto footer = sub->get_footer();
        text += row(sub->get_name(), footer);
    }
    return text.empty() ? text : "\nCommands:\n" + text;
}

}  // namespace

std::string help_text(const CLI::App& app) {
    auto text = app.get_description() + '\n' + commands_text(app);
    for (const auto& group : app.get_groups()) text += group_text(app, group);
    return text;
}

std::string similar_flag(const CLI::App& app, const std::string& given) {
    const auto start = std::min(given.find_first_not_of('-'), given.size());
    const auto name = given.substr(start, given.find('=') - start);
    constexpr std::size_t shortest_part = 3;
    const bool may_be_part = name.size() >= shortest_part;
    std::string best;
    auto best_distance = name.size() / 4 + 2;  // the first that is too far
    std::string with_part;
    for (const auto* o : app.get_options())
        for (const auto& known : o->get_lnames()) {
            const bool begins = may_be_part && known.starts_with(name);
            const auto d = begins ? 1 : distance(name, known);
            const bool part = may_be_part && known.find(name) != known.npos;
            if (part && with_part.empty()) with_part = "--" + known;
            // Of two that begin so, the one that is nearly given whole.
            const bool shorter = begins && d == best_distance && known.size() + 2 < best.size();
            if (d >= best_distance && !shorter) continue;
            best = "--" + known;
            best_distance = d;
        }
    return best.empty() ? with_part : best;
}

}  // namespace tandem::command
