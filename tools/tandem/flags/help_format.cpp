#include "flags/help_format.hpp"

#include "flags/short_help_flags.hpp"
#include "text/edit_distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tandem::command {
namespace {

constexpr std::size_t width = 80;
constexpr std::size_t help_column = 32;

// Wraps `text` at column `start`, with `head` on the first line.
std::string row(std::string head, std::string_view text, std::size_t start = help_column) {
    head = "  " + head;
    if (head.size() + 1 > start) head += '\n' + std::string(start, ' ');
    auto column = start;
    std::string result = fmt::format("{:<{}}", head, start);
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        if (column > start && column + word.size() + 1 > width) {
            result += '\n' + std::string(start, ' ');
            column = start;
        }
        if (column > start) result += ' ', ++column;
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

// Returns the beginning of the description, up to the end of the paragraph "Usage:".
std::string first_paragraphs(const std::string& description) {
    const auto usage = description.find("Usage:");
    return description.substr(0, description.find("\n\n", usage)) + '\n';
}

std::vector<const CLI::Option*> options_named(const CLI::App& app,
                                              const std::vector<std::string_view>& names) {
    std::vector<const CLI::Option*> options;
    for (const auto name : names)
        if (const auto* o = app.get_option_no_throw(std::string(name))) options.push_back(o);
    return options;
}

// Aligns the texts in one column, as far left as the widest head allows.
std::string short_section(const char* title, const std::vector<const CLI::Option*>& options) {
    constexpr std::size_t gaps = 4;
    std::size_t start = 0;
    for (const auto* o : options)
        start = std::max(start, std::min(head_of(*o).size() + gaps, help_column));
    std::string text;
    for (const auto* o : options) text += row(head_of(*o), o->get_description(), start);
    return text.empty() ? text : fmt::format("\n{}:\n{}", title, text);
}

constexpr std::size_t min_part_length = 3;

// Returns the known flags that are the last words of `name`, such as "--keys" for "api-keys".
std::vector<std::string> flags_at_end(const CLI::App& app, const std::string& name) {
    std::vector<std::string> flags;
    for (const auto* o : app.get_options())
        for (const auto& known : o->get_lnames())
            if (known.size() >= min_part_length && name.ends_with('-' + known))
                flags.push_back("--" + known);
    return flags;
}

// Returns the known flag that is most similar to `name`; empty if there is none.
std::string similar_flag(const CLI::App& app, std::string_view name) {
    const bool may_be_part = name.size() >= min_part_length;
    std::string best;
    auto best_distance = name.size() / 4 + 2;  // exclusive upper bound
    std::string with_part;
    for (const auto* o : app.get_options())
        for (const auto& known : o->get_lnames()) {
            const bool begins = may_be_part && known.starts_with(name);
            const auto d = begins ? 1 : edit_distance(name, known);
            const bool part = may_be_part && known.find(name) != known.npos;
            if (part && with_part.empty()) with_part = "--" + known;
            // Of two flags that start with `name`, prefer the shorter one.
            const bool shorter = begins && d == best_distance && known.size() + 2 < best.size();
            if (d >= best_distance && !shorter) continue;
            best = "--" + known;
            best_distance = d;
        }
    return best.empty() ? with_part : best;
}

}  // namespace

std::string help_text(const CLI::App& app) {
    auto text = app.get_description() + '\n' + commands_text(app);
    for (const auto& group : app.get_groups()) text += group_text(app, group);
    return text;
}

std::string short_help_text(const CLI::App& app) {
    const auto everyday = find_short_help_flags(app.get_name());
    if (everyday.own.empty()) return help_text(app);
    const auto all = app.get_options([](const CLI::Option* o) { return !o->get_positional(); });
    return first_paragraphs(app.get_description()) +
           short_section("Flags", options_named(app, everyday.own)) +
           short_section("Server and reply", options_named(app, everyday.shared)) +
           fmt::format("\n\"tandem {} --help=all\" shows all {} flags and more details.\n",
                       app.get_name(), all.size());
}

std::vector<std::string> find_similar_flags(const CLI::App& app, const std::string& given) {
    const auto start = std::min(given.find_first_not_of('-'), given.size());
    const auto name = given.substr(start, given.find('=') - start);
    auto flags = flags_at_end(app, name);
    const bool is_address =
        (name == "host" || name == "port") && app.get_option_no_throw("--listen") != nullptr;
    const auto like = is_address ? "--listen" : similar_flag(app, name);
    if (!like.empty() && std::ranges::find(flags, like) == flags.end()) flags.push_back(like);
    return flags;
}

}  // namespace tandem::command
