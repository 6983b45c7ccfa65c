#include "slots/server_build_faults.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>

namespace tandem::slots {
namespace {

// This build was tested by cutting and continuing replies, on one slot and alternating between two:
// 5,041 times with the talk model, and 960 times each with small attention, recurrent, hybrid and
// sliding-window models (with and without unified KV and host cache). There was no crash, no error,
// and no slot that stayed busy. The build does not contain the assert of #18235. No fault of later
// builds is known (2026-11).
constexpr int first_sound_build = 11669;

constexpr duration guard_of_unknown_builds = std::chrono::seconds(2);

// If a report names no build, the range covers the builds around the date of the report.
constexpr std::array<build_fault, 5> faults{{
    {4508, 4567, "generation continues after the client disconnects", "use a newer build",
     "#11414, #11720; fixed by #11418"},
    {6900, 7600,
     "GGML_ASSERT(!slot.is_processing()): the server crashes when a recurrent or hybrid model gets "
     "a prompt that differs from its slot's cache, as after a cut",
     "keep reuse_guard = 2s, or use a newer build", "#18235; fixed by #18391", true},
    {9000, 9400, "the server crashes when a recurrent or hybrid model cannot roll back tokens",
     "keep reuse_guard = 2s, or use a newer build", "#23206; fixed by #23280", true},
    {10639, 10679,
     "the server crashes, or continues from stale state, when a recurrent or hybrid model cannot "
     "roll back tokens",
     "keep reuse_guard = 2s, or use a newer build", "#27931, #28007", true},
    {5161, 0,
     "a request that waits for its slot is processed after its client disconnects, while other "
     "slots stream",
     "let only tandem use the server: it sends no request to a slot in use", "#13262"},
}};

bool has(int build, const build_fault& f) noexcept {
    return build >= f.first && (f.last == 0 || build <= f.last);
}

}  // namespace

std::optional<int> build_number(std::string_view build_info) {
    const auto start = build_info.find_first_of("0123456789");
    // Accepts "b11669" and "11669". Text with another prefix or without a number is not a build
    // number.
    if (start > 1 || (start == 1 && build_info[0] != 'b')) return std::nullopt;
    int number = 0;
    const auto digits = build_info.substr(start);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // A dash and more text may follow the number ("b11669-Debian", "b4000-1a2b3c4").
    const bool ends_there = read.ptr == digits.data() + digits.size() || *read.ptr == '-';
    if (read.ec != std::errc() || !ends_there || number == 0) return std::nullopt;
    return number;
}

std::vector<build_fault> faults_of(std::string_view build_info) {
    std::vector<build_fault> found;
    if (const auto build = build_number(build_info))
        std::copy_if(faults.begin(), faults.end(), std::back_inserter(found),
                     [&](const build_fault& f) { return has(*build, f); });
    return found;
}

bool may_crash_after_cut(std::string_view build_info) {
    const auto known = faults_of(build_info);
    return std::any_of(known.begin(), known.end(), [](const auto& f) { return f.deadly; });
}

bool is_safe_for_instant_reuse(std::string_view build_info) {
    const auto build = build_number(build_info);
    return build && *build >= first_sound_build;
}

bool reports_prompt_progress(std::string_view build_info) {
    constexpr int first = 6400;
    const auto build = build_number(build_info);
    return build && *build >= first;
}

duration choose_reuse_guard(std::string_view build_info) {
    return is_safe_for_instant_reuse(build_info) ? duration{} : guard_of_unknown_builds;
}

}  // namespace tandem::slots
