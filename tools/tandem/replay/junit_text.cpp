#include "replay/junit_text.hpp"

#include "base/format_count.hpp"
#include "text/markup.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {
namespace {

std::string open_case(const std::string& file, const std::string& name, double ms) {
    return fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")",
                       escape_markup(file), escape_markup(name), ms / 1000);
}

std::string failure_of(const checked_turn& turn) {
    std::string all;
    for (const auto& b : turn.broken) all += describe(b) + '\n';
    return fmt::format("      <failure message=\"{}\">{}\n{}</failure>\n",
                       escape_markup(describe(turn.broken.front())), format_place(turn),
                       escape_markup(all));
}

std::string case_text(const std::string& file, const junit_case& c) {
    const auto open = open_case(file, c.name, c.outcome.total_ms);
    if (c.outcome.broken.empty()) return open + "/>\n";
    return open + ">\n" + failure_of(c.outcome) + "    </testcase>\n";
}

std::string missing_text(const std::string& file, int count) {
    return open_case(file, "not checked", 0) +
           fmt::format(
               ">\n      <error message=\"{} with expectations did not finish\"/>\n"
               "    </testcase>\n",
               format_count(count, "turn"));
}

}  // namespace

std::string junit_text(const std::string& file, const std::vector<junit_case>& cases,
                       int unchecked) {
    double ms = 0;
    for (const auto& c : cases) ms += c.outcome.total_ms;
    const int errors = unchecked > 0 ? 1 : 0;
    const auto failures =
        std::ranges::count_if(cases, [](const junit_case& c) { return !c.outcome.broken.empty(); });
    const auto counts =
        fmt::format(R"(tests="{}" failures="{}" errors="{}" time="{:.3f}")",
                    cases.size() + static_cast<std::size_t>(errors), failures, errors, ms / 1000);
    auto out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n"
        "  <testsuite name=\"tandem replay\" {0}>\n",
        counts);
    for (const auto& c : cases) out += case_text(file, c);
    if (errors > 0) out += missing_text(file, unchecked);
    return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace tandem::command
