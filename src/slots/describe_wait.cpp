#include "slots/slot_scheduler.hpp"

#include <fmt/format.h>

namespace tandem::slots {
namespace {

std::string wait_for_any(const wait_reason& w) {
    std::string words = "waits for a slot: ";
    if (w.leased > 0) words += fmt::format("{} leased to other conversations, ", w.leased);
    if (const int used = w.slots - w.stuck - w.leased; used > 0 || w.leased == 0)
        words += fmt::format("{} in use or promised, ", used);
    if (w.stuck > 0) words += fmt::format("{} stuck at the server, ", w.stuck);
    return words + fmt::format("{} waiting before it", w.before);
}

}  // namespace

std::string describe_wait(const wait_reason& w) {
    if (w.guarded_slot)
        return fmt::format("waits {:.0f} ms for the reuse guard of slot {}", to_ms(w.guard_left),
                           *w.guarded_slot);
    if (w.prefilled_slot)
        return fmt::format("waits for slot {}, which is being prefilled", *w.prefilled_slot);
    if (w.own == 1) return "waits for its own slot, which is in use or promised";
    if (w.own > 1)
        return fmt::format("waits for one of its own {} slots, all in use or promised", w.own);
    return wait_for_any(w);
}

}  // namespace tandem::slots
