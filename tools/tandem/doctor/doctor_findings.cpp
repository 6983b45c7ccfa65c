#include "doctor/doctor_findings.hpp"

#include "doctor/doctor_checks.hpp"
#include "text/format_error.hpp"
#include "text/terminal_text.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

constexpr int max_server_message = 160;

}  // namespace

std::string_view status_name(finding_status s) noexcept {
    constexpr std::array<std::string_view, 4> names{"ok", "note", "warning", "bad"};
    return names[static_cast<std::size_t>(s)];
}

std::vector<finding> collect_findings(const doctor_facts& facts) {
    std::vector<finding> all;
    check_connection(facts, all);
    if (facts.props.ok()) check_setup(facts, all);
    const auto add = [&](auto check, finding_group group) {
        const auto known = all.size();
        check(facts, all);
        for (auto i = known; i < all.size(); ++i) all[i].group = group;
    };
    if (facts.measured.done) add(check_measurements, finding_group::measured);
    if (facts.store) add(check_cluster, finding_group::cluster);
    return all;
}

bool has_bad_finding(const std::vector<finding>& findings) {
    return std::ranges::any_of(findings,
                               [](const finding& f) { return f.status == finding_status::bad; });
}

error_message_parts split_error_message(const failure& f) {
    auto what = format_error(f.ec, {.client_message = f.diag.client_message});
    std::string detail;
    if (const auto at = what.rfind(" ("); what.ends_with(')') && at != what.npos) {
        detail = what.substr(at);
        what.resize(at);
    }
    const auto end = what.find("; ");
    std::string remedy = end == what.npos ? "" : what.substr(end + 2);
    what = what.substr(0, end) + detail;
    const auto& theirs = f.diag.server_message;
    // Omits an HTML page, such as that of a proxy, which would not be readable on one line.
    if (!theirs.empty() && !theirs.starts_with('<'))
        what += "; server message: " + truncate_to_width(theirs, max_server_message);
    return {std::move(what), std::move(remedy)};
}

}  // namespace tandem::command
