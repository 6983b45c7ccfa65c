#include "server/server_props_cache.hpp"

#include "base/format_count.hpp"
#include "slots/server_build_faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::detail {
namespace {

// Errors typical of a server that was stopped or has just been started.
constexpr std::array gone{errc::resolve_failed,  errc::connect_failed,    errc::tls_failed,
                          errc::connect_timeout, errc::stream_incomplete, errc::model_loading};

bool is_same(const server_props& a, const server_props& b) {
    return a.total_slots == b.total_slots && a.context_per_slot == b.context_per_slot &&
           a.model == b.model && a.build_info == b.build_info;
}

std::string guard_line(duration guard, std::string_view build_info) {
    const auto why = build_info.empty()
                         ? std::string("the server does not report its build")
                         : fmt::format("build {} is {}known to be sound", build_info,
                                       slots::is_safe_for_instant_reuse(build_info) ? "" : "not ");
    return fmt::format("reuse guard: {:.0f} ms, {}", to_ms(guard), why);
}

}  // namespace

// The build is unknown until the server reports it, and becomes unknown again if the server is
// gone.
duration server_props_cache::reuse_guard() const {
    return guard_wanted_.value_or(
        slots::choose_reuse_guard(props_ ? props_->build_info : std::string_view()));
}

std::string server_props_cache::take_guard_advice(duration waited) {
    constexpr auto max_unlogged_wait = std::chrono::milliseconds(100);
    if (waited <= max_unlogged_wait || std::exchange(has_logged_wait_, true)) return {};
    const auto build = props_ ? std::string_view(props_->build_info) : std::string_view();
    if (slots::is_safe_for_instant_reuse(build))
        return fmt::format(
            "; use reuse_guard = auto to avoid the wait: build {} is known to be sound", build);
    return fmt::format("; use reuse_guard = 0 to avoid the wait if {} is known to handle cuts",
                       build.empty() ? "the server" : fmt::format("build {}", build));
}

std::vector<log_line> server_props_cache::store_props(const server_props& props) {
    props_ = props;
    const auto before = std::exchange(logged_, props);
    if (before && is_same(*before, props)) return {};
    std::vector<log_line> lines{
        {log_level::info, fmt::format("server {}: model {}, {} of {}", props.build_info,
                                      props.model, format_count(props.total_slots, "slot"),
                                      format_count(props.context_per_slot, "token"))}};
    auto warning = slots_warning(props, slots_wanted_);
    if (!guard_wanted_ && (!before || before->build_info != props.build_info))
        lines.push_back({log_level::info, guard_line(reuse_guard(), props.build_info)});
    const bool other_slots = !before || before->total_slots != props.total_slots;
    if (!warning.empty() && other_slots) lines.push_back({log_level::warning, std::move(warning)});
    return lines;
}

void server_props_cache::on_request_failed(const error_code& ec) {
    if (std::find(gone.begin(), gone.end(), ec) != gone.end()) props_.reset();
}

std::vector<log_line> server_props_cache::report_slot_mismatch(int asked, int used) {
    props_.reset();
    return {{log_level::warning, fmt::format("a request to slot {} ran on slot {}: the server was "
                                             "restarted with other slots; querying it again",
                                             asked, used)}};
}

}  // namespace tandem::detail
