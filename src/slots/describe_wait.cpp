#include "base/format_count.hpp"
#include "slots/slot_request.hpp"

#include <fmt/format.h>

namespace tandem::slots {
namespace {

std::string wait_for_any(const wait_reason& w) {
    if (w.max_running)
        return fmt::format("waits until fewer than {} requests run, {} waiting before it",
                           *w.max_running, w.before);
    if (w.is_slot_kept)
        return "waits because the idle slots are kept for new turns, and its listener has enough "
               "to hear";
    if (w.unchecked > 0)
        return fmt::format(
            "waits until {} that other gateways may use {} checked, {} waiting before it",
            format_count(w.unchecked, "slot"), w.unchecked == 1 ? "is" : "are", w.before);
    std::string words =
        fmt::format("waits for a slot: {} in use or promised, ", w.slots - w.stuck - w.lent);
    if (w.stuck > 0) words += fmt::format("{} stuck at the server, ", w.stuck);
    if (w.lent > 0) words += fmt::format("{} not lent to this gateway, ", w.lent);
    return words + fmt::format("{} waiting before it", w.before);
}

}  // namespace

std::string describe_wait(const wait_reason& w) {
    if (w.guarded_slot)
        return fmt::format("waits {:.0f} ms for the reuse guard of slot {}", to_ms(w.guard_left),
                           *w.guarded_slot);
    if (w.prefilled_slot)
        return fmt::format("waits for slot {}, which is being prefilled", *w.prefilled_slot);
    return wait_for_any(w);
}

}  // namespace tandem::slots
