#include "doctor/doctor_report.hpp"
#include "flags/config_layers.hpp"
#include "terminal/color.hpp"
#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace tandem::command {
namespace {

constexpr int head_columns = 24;  // width of the status and name of a finding, or of a setting
constexpr int min_finding_columns = 20;

const char* paint_of(finding_status s) {
    constexpr std::array paints{paint::green, paint::dim, paint::yellow, paint::red};
    return paints[static_cast<std::size_t>(s)];
}

// Returns the label of a finding in the first column, such as "reuse guard".
std::string label_of(std::string name) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> labels{
        {{"cache_same_slot", "same slot"},
         {"cache_other_slot", "other slot"},
         {"cache_prefilled_slot", "prefilled"},
         {"slots_endpoint", "/slots"}}};
    for (const auto& [known, label] : labels)
        if (name == known) return label;
    std::ranges::replace(name, '_', ' ');
    return name;
}

// Prints `text` to the right of `head`; further lines are indented to the same column.
std::string block(const screen_style& style, const std::string& head, std::string_view text,
                  const char* color = nullptr) {
    std::string result;
    const auto blank = std::string(head_columns, ' ');
    const auto* before = &head;
    for (const auto& line :
         wrap_text(text, std::max(min_finding_columns, style.width - head_columns))) {
        result += *before + (color ? colorize(style.color, color, line) : line) + '\n';
        before = &blank;
    }
    return result;
}

std::string finding_lines(const screen_style& style, const finding& f) {
    const auto status = fmt::format("  {:<8}", status_name(f.status));
    const auto name = fmt::format("{:<{}}", label_of(f.name), head_columns - 10);
    auto lines = block(style, colorize(style.color, paint_of(f.status), status) + name, f.message);
    if (!f.remedy.empty() && f.status != finding_status::ok)
        lines += block(style, std::string(head_columns, ' '), "→ " + f.remedy,
                       f.status == finding_status::note ? paint::dim : paint::bold);
    return lines;
}

std::string title(const screen_style& style, std::string_view text) {
    return '\n' + colorize(style.color, paint::bold, text) + '\n';
}

std::string group_lines(const screen_style& style, const doctor_report& report, finding_group group,
                        const char* heading) {
    std::string lines;
    for (const auto& f : report.findings)
        if (f.group == group) lines += finding_lines(style, f);
    return lines.empty() ? lines : title(style, heading) + lines;
}

// Formats the setting as a flag of tandem or of llama-server.
std::string flag_of(const advised_setting& s) {
    return fmt::format("{} {}", s.name.starts_with('-') ? s.name : flag_name(s.name), s.value);
}

std::string setting_lines(const screen_style& style, const advised_setting& s) {
    const bool as_it_is = s.current == s.value;
    const auto head = fmt::format("  {:<{}}", flag_of(s), head_columns - 2);
    const auto now = as_it_is ? "as now" : s.current.empty() ? "" : "now " + s.current;
    const auto text = now.empty() ? s.reason : fmt::format("{}; {}", now, s.reason);
    return block(style, as_it_is ? head : colorize(style.color, paint::bold, head), text);
}

std::string advice_lines(const screen_style& style, const doctor_advice& advice) {
    if (advice.command.empty()) return {};
    auto lines = title(style, "Advised for tandem");
    for (const auto& s : advice.tandem) lines += setting_lines(style, s);
    lines += title(style, "Advised for llama-server, in addition to your other flags");
    for (const auto& s : advice.llama_server) lines += setting_lines(style, s);
    // The command is not wrapped, so that it can be copied.
    return lines + "\n  " + truncate_to_width(advice.command, 4096) + '\n';
}

std::string counts(const std::vector<finding>& findings) {
    std::string text;
    for (const auto& [status, name] : std::array{
             std::pair{finding_status::bad, "bad"}, std::pair{finding_status::warning, "to fix"},
             std::pair{finding_status::note, "to note"}, std::pair{finding_status::ok, "ok"}}) {
        const auto n = std::ranges::count(findings, status, &finding::status);
        if (n > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, name);
    }
    return text;
}

std::string verdict(const screen_style& style, const doctor_report& report) {
    const bool unfinished = report.facts.stopped && !has_bad_finding(report.findings);
    const auto* words = unfinished           ? "Stopped before all checks were done"
                        : report.is_usable() ? "Good for a bot"
                                             : "A bot would break";
    const auto* color = unfinished ? paint::yellow : report.is_usable() ? paint::green : paint::red;
    const auto all = counts(report.findings);
    return fmt::format("\n{}{}{}\n", colorize(style.color, color, words), all.empty() ? "" : ": ",
                       all);
}

}  // namespace

std::string format_doctor_report(const screen_style& style, const doctor_report& report) {
    return fmt::format("{}  {}\n", colorize(style.color, paint::bold, "tandem doctor"),
                       truncate_to_width(report.facts.url, style.width - 15)) +
           group_lines(style, report, finding_group::server, "Server") +
           group_lines(style, report, finding_group::measured, "Measured") +
           group_lines(style, report, finding_group::cluster, "Cluster") +
           advice_lines(style, report.advice) + verdict(style, report);
}

}  // namespace tandem::command
