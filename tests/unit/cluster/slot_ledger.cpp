#include "slot_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::test {

auto slot_ledger::renew_lease(std::int64_t now, const std::string& gateway,
                              const std::string& process, std::int64_t lease) -> lease_renewal {
    int was_known = has_lease(now, gateway) ? 1 : 0;
    std::erase_if(members_, [&](const auto& m) { return m.second <= now - 60'000; });
    const auto owner = processes_.find(gateway);
    if (was_known == 1 && owner != processes_.end() && owner->second != process)
        was_known = gone_.contains(owner->second) ? 0 : -1;
    if (was_known >= 0 && lease == 0) {
        members_.erase(gateway);
        processes_.erase(gateway);
    } else if (was_known >= 0) {
        members_[gateway] = now + lease;
        processes_[gateway] = process;
    }
    lease_renewal answer{.was_known = was_known};
    for (const auto& [name, lease_end] : members_) {
        const auto its_process = processes_.find(name);
        const bool is_gone = its_process != processes_.end() && gone_.contains(its_process->second);
        answer.members += lease_end > now;
        answer.missing += lease_end <= now || is_gone;
    }
    return answer;
}

bool slot_ledger::has_lease(std::int64_t now, const std::string& gateway) const {
    const auto found = members_.find(gateway);
    return found != members_.end() && found->second > now;
}

bool slot_ledger::is_alive(std::int64_t now, const std::string& gateway) const {
    const auto process = processes_.find(gateway);
    return has_lease(now, gateway) &&
           (is_young(now) || process == processes_.end() || !gone_.contains(process->second));
}

void slot_ledger::lend(int slot, const std::string& gateway, std::int64_t used, bool is_doubtful,
                       std::uint64_t at_least) {
    highest_ = std::max(highest_ + 1, at_least);
    slots_[slot] = {highest_, used, is_doubtful, gateway};
}

auto slot_ledger::claim(std::int64_t now, const std::string& gateway, int slots,
                        const std::optional<wish>& w, const std::vector<told_slot>& held)
    -> std::vector<loan_record> {
    if (std::exchange(is_new_run_, false)) born_ = now;
    for (const auto& s : held) {
        const auto& known = slots_[s.slot];
        if (known.borrower == gateway) {
            if (known.is_doubtful) lend(s.slot, gateway, known.used, false, s.number);
        } else if (known.borrower.empty() || !is_alive(now, known.borrower)) {
            lend(s.slot, gateway, s.unused < 0 ? 0 : now - s.unused, false, s.number);
        }
    }
    if (w && !lend_one_more(now, gateway, slots)) {
        wishes_[gateway] = {now + w->due_in, w->kind};
        messages_.push_back(fmt::format("wish {} {} {}", gateway, w->kind, w->due_in));
    } else if (wishes_.erase(gateway) > 0) {
        messages_.push_back(fmt::format("end {}", gateway));
    }
    std::vector<loan_record> loans;
    for (int slot = 0; slot < slots; ++slot) {
        const auto& s = slots_[slot];
        if (s.borrower == gateway)
            loans.push_back(
                {slot, s.number, s.used == 0 ? -1 : now - s.used, s.is_doubtful || is_young(now)});
    }
    return loans;
}

bool slot_ledger::lend_one_more(std::int64_t now, const std::string& gateway, int slots) {
    std::optional<std::pair<std::pair<bool, std::int64_t>, int>> best;
    for (int slot = 0; slot < slots; ++slot) {
        const auto& s = slots_[slot];
        if (s.borrower == gateway || is_alive(now, s.borrower)) continue;
        const std::pair rank(!s.borrower.empty(), s.used);
        if (!best || rank < best->first) best = {rank, slot};
    }
    if (!best) return false;
    const auto known = slots_[best->second];
    const bool is_doubtful = !known.borrower.empty() || is_young(now);
    lend(best->second, gateway, known.used, is_doubtful, 0);
    return !is_doubtful;
}

bool slot_ledger::offer(std::int64_t now, const std::string& gateway, const told_slot& s,
                        bool is_leaving) {
    auto& known = slots_[s.slot];
    if (known.borrower != gateway || known.number != s.number) return true;
    std::erase_if(wishes_, [&](const auto& w) { return !is_alive(now, w.first); });
    const auto used = s.unused < 0 ? known.used : now - s.unused;
    const std::string* first = nullptr;
    for (const auto& [name, w] : wishes_)
        if (name != gateway && (!first || w.due < wishes_.at(*first).due)) first = &name;
    if (!first) {
        if (is_leaving) known = {known.number, used, false, {}};
        return is_leaving;
    }
    const auto next = *first;
    lend(s.slot, next, used, false, 0);
    wishes_.erase(next);
    messages_.push_back(
        fmt::format("lent {} {} {} {}", next, s.slot, known.number, used == 0 ? -1 : now - used));
    return true;
}

void slot_ledger::clear() {
    *this = {};
}

std::vector<std::string> slot_ledger::take_messages() {
    return std::exchange(messages_, {});
}

}  // namespace tandem::test
