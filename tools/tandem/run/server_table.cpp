#include "run/server_table.hpp"

#include "text/terminal_text.hpp"
#include "text/url_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {
namespace {

constexpr int figure_columns = 59;  // including the indent
constexpr int min_name_columns = 12;

std::string slot_row(const slot_stats& s) {
    return fmt::format("{:>6}{:>10}{:>8}{:>11}{:>9.0f} %{:>11}", format_slot(s.slot), s.requests,
                       s.chunks, s.generated, s.cache_hit_ratio() * 100, s.evaluated);
}

// Returns the URLs. If a URL is too long, omits the scheme of all URLs.
std::vector<std::string> names_of(const std::vector<server_stats>& servers, int columns) {
    std::vector<std::string> names;
    names.reserve(servers.size());
    for (const auto& s : servers) names.push_back(s.url);
    if (std::ranges::any_of(names, [=](const auto& n) { return count_columns(n) > columns; }))
        std::ranges::transform(names, names.begin(), without_scheme);
    for (auto& n : names) n = truncate_to_width(n, columns);
    return names;
}

}  // namespace

std::string server_table(const std::vector<server_stats>& servers, int width) {
    const auto names = names_of(servers, std::max(min_name_columns, width - figure_columns));
    int columns = min_name_columns;
    for (const auto& n : names) columns = std::max(columns, count_columns(n));
    auto text =
        fmt::format("  {}{:>6}{:>10}{:>8}{:>11}{:>11}{:>11}\n", pad_to_columns("server", columns),
                    "slot", "requests", "chunks", "generated", "cache hit", "evaluated");
    for (std::size_t i = 0; i < servers.size(); ++i) {
        auto name = pad_to_columns(names[i], columns);
        const auto& slots = servers[i].slots;
        if (slots.empty()) text += fmt::format("  {}  {}, not used\n", name, servers[i].state);
        for (const auto& slot : slots) {
            text += fmt::format("  {}{}\n", name, slot_row(slot));
            name = pad_to_columns({}, columns);
        }
    }
    return text;
}

}  // namespace tandem::command
