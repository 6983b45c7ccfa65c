#include "completion/manual_page.hpp"

#include "completion/roff.hpp"
#include "flags/config_layers.hpp"

#include "tandem/config_fields.hpp"
#include "tandem/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::command {
namespace {

/// The description of a command, by sections.
struct described {
    std::string synopsis, example, text, exit_status;
};

// Takes "Usage: " away, and the spaces that stand below it.
std::vector<std::string> usage_lines(std::string_view paragraph) {
    constexpr std::size_t indent = std::string_view("Usage: ").size();
    std::vector<std::string> lines;
    for (const auto line : roff::lines_of(paragraph))
        lines.emplace_back(line.substr(std::min(indent, line.size())));
    return lines;
}

std::string after_label(std::string_view paragraph, std::string_view label) {
    paragraph.remove_prefix(label.size());
    const auto start = paragraph.find_first_not_of(" \n");
    return std::string(start == paragraph.npos ? "" : paragraph.substr(start));
}

described read_description(const std::string& text) {
    described d;
    for (const auto paragraph : roff::paragraphs_of(text))
        if (paragraph.starts_with("Usage:")) {
            for (const auto& line : usage_lines(paragraph))
                d.synopsis += (d.synopsis.empty() ? "" : ".br\n") + roff::text(line) + '\n';
        } else if (paragraph.starts_with("Example:")) {
            d.example = roff::block("  " + after_label(paragraph, "Example:"));
        } else if (paragraph.starts_with("Exit status:")) {
            d.exit_status = roff::text(after_label(paragraph, "Exit status:")) + '\n';
        } else {
            d.text += (d.text.empty() ? "" : ".PP\n") + roff::paragraph(paragraph);
        }
    return d;
}

std::string section(std::string_view title, const std::string& body) {
    return body.empty() ? "" : fmt::format(".SH {}\n{}", title, body);
}

std::string option_head(const CLI::Option& o) {
    if (o.get_positional()) return roff::italic(o.get_name(true));
    std::string head;
    for (const auto& n : o.get_snames()) head += (head.empty() ? "" : ", ") + roff::bold("-" + n);
    for (const auto& n : o.get_lnames()) head += (head.empty() ? "" : ", ") + roff::bold("--" + n);
    if (o.get_items_expected_max() > 0) head += ' ' + roff::italic(o.get_type_name());
    return head;
}

std::string tagged(const std::string& head, std::string_view text) {
    return fmt::format(".TP\n{}\n{}\n", head, roff::text(text));
}

std::string options_of(const CLI::App& app) {
    std::string text;
    for (const auto& group : app.get_groups()) {
        std::string rows;
        for (const auto* o :
             app.get_options([&](const CLI::Option* p) { return p->get_group() == group; }))
            rows += tagged(option_head(*o), o->get_description());
        if (!rows.empty()) text += fmt::format(".SS {}\n{}", roff::text(group), rows);
    }
    return text;
}

std::string commands_of(const CLI::App& app) {
    std::string text;
    for (const auto* c : app.get_subcommands([](const CLI::App*) { return true; }))
        text += tagged(roff::bold(app.get_name() + "-" + c->get_name()) + "(1)", c->get_footer());
    return text;
}

// The variables of those flags that are fields of the configuration.
std::string variables_of(const CLI::App& app) {
    std::string text;
    const config defaults;
    for_each_field(defaults, [&](const field_info& f, const auto&) {
        const auto flag = flag_name(f.name);
        if (app.get_option_no_throw(flag))
            text += tagged(roff::bold(variable_name(f.name)), "as " + flag);
    });
    return text;
}

}  // namespace

std::string manual_page(const CLI::App& app, const manual_frame& frame) {
    const auto d = read_description(app.get_description());
    return fmt::format(".TH {} 1 \"{}\" \"{}\" \"User Commands\"\n.nh\n.ad l\n",
                       roff::text(frame.name), frame.date, "tandem " TANDEM_VERSION_STRING) +
           section("NAME",
                   fmt::format("{} \\- {}\n", roff::text(frame.name), roff::text(frame.summary))) +
           section("SYNOPSIS", d.synopsis) + section("DESCRIPTION", d.text) +
           section("COMMANDS", commands_of(app)) + section("OPTIONS", options_of(app)) +
           section("ENVIRONMENT", variables_of(app)) + section("EXIT STATUS", d.exit_status) +
           section("EXAMPLES", d.example) +
           section("SEE ALSO", frame.see_also.empty() ? "" : roff::text(frame.see_also) + '\n');
}

}  // namespace tandem::command
