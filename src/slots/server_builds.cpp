#include "slots/server_builds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>

namespace tandem::slots {
namespace {

// Cutting and going on, on one slot and hopping between two, 5,041 times with the talk model, and
// 960 times each with small attention, recurrent, hybrid and sliding-window models (with and
// without unified KV and host cache): no crash, no error, no slot that stayed busy. The assert of
// #18235 is not in that build. Nothing is known against later ones (2026-11).
constexpr int first_sound_build = 11669;

constexpr duration guard_of_unknown_builds = std::chrono::seconds(2);

// Where reports name no build, the bounds are those of the dates around them.
constexpr std::array<build_fault, 5> faults{{
    {4508, 4567, "generation goes on after the client has gone", "use a newer build",
     "#11414, #11720; mended by #11418"},
    {6900, 7600,
     "GGML_ASSERT(!slot.is_processing()): the server dies when a recurrent or hybrid model is "
     "asked "
     "again with text that differs from what its slot holds, as after a cut",
     "keep reuse_guard = 2s, or use a newer build", "#18235; mended by #18391", true},
    {9000, 9400, "the server dies when a recurrent or hybrid model cannot take back tokens",
     "keep reuse_guard = 2s, or use a newer build", "#23206; mended by #23280", true},
    {10639, 10679,
     "the server dies, or goes on from stale state, when a recurrent or hybrid model cannot take "
     "back tokens",
     "keep reuse_guard = 2s, or use a newer build", "#27931, #28007", true},
    {5161, 0,
     "a request that waits for its slot is worked off though its client has gone, while other "
     "slots "
     "stream",
     "have no more conversations at once than slots", "#13262"},
}};

bool has(int build, const build_fault& f) noexcept {
    return build >= f.first && (f.last == 0 || build <= f.last);
}

}  // namespace

std::optional<int> build_number(std::string_view build_info) {
    const auto start = build_info.find_first_of("0123456789");
    // "b11669" and "11669"; other letters before the number, or no number, make it something else.
    if (start > 1 || (start == 1 && build_info[0] != 'b')) return std::nullopt;
    int number = 0;
    const auto digits = build_info.substr(start);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    // The build's name may be followed by a dash and more ("b11669-Debian", "b4000-1a2b3c4").
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

bool may_die_of_cuts(std::string_view build_info) {
    const auto known = faults_of(build_info);
    return std::any_of(known.begin(), known.end(), [](const auto& f) { return f.deadly; });
}

bool is_sound(std::string_view build_info) {
    const auto build = build_number(build_info);
    return build && *build >= first_sound_build;
}

bool tells_progress(std::string_view build_info) {
    constexpr int first = 6400;
    const auto build = build_number(build_info);
    return build && *build >= first;
}

duration safe_reuse_guard(std::string_view build_info) {
    return is_sound(build_info) ? duration{} : guard_of_unknown_builds;
}

}  // namespace tandem::slots
