#pragma once

#include "cluster/slot_share_actions.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tandem::test {

/// The rules of the store's scripts in C++: what each script does to the records of one server.
/// Times are in ms on the store's clock.
class slot_ledger {
 public:
    struct wish {
        std::string kind;
        std::int64_t due_in = 0;
    };
    struct told_slot {
        int slot = 0;
        std::uint64_t number = 0;
        std::int64_t unused = -1;
    };
    struct loan_record {
        int slot = 0;
        std::uint64_t number = 0;
        std::int64_t unused = -1;
        bool is_doubtful = false;

        friend bool operator==(const loan_record&, const loan_record&) = default;
    };

    struct lease_renewal {
        /// The lease before the renewal: 1 if it was running; 0 if it, or the process that held it,
        /// had ended; -1 if another process holds it.
        int was_known = 0;
        /// The number of other gateways whose process or lease ended within the last minute.
        int missing = 0;
        /// The number of gateways whose lease has not ended.
        int members = 0;
    };
    /// A lease of 0 ends the membership.
    lease_renewal renew_lease(std::int64_t now, const std::string& gateway,
                              const std::string& process, std::int64_t lease);
    std::vector<loan_record> claim(std::int64_t now, const std::string& gateway, int slots,
                                   const std::optional<wish>& w,
                                   const std::vector<told_slot>& held);
    /// Returns true if the gateway has given up the slot, and false if it keeps the slot.
    bool offer(std::int64_t now, const std::string& gateway, const told_slot& s, bool is_leaving);
    /// Makes the store lose all records.
    void clear();
    /// Makes another primary take the place of the store.
    void fail_over() { is_new_run_ = true; }
    /// Records that a process has lost its connection, or has connected again.
    void hang_up(const std::string& process) { gone_.insert(process); }
    void connect(const std::string& process) { gone_.erase(process); }
    /// What the scripts published since the last call, such as `wish A turn 20`.
    std::vector<std::string> take_messages();

 private:
    struct slot_record {
        std::uint64_t number = 0;
        std::int64_t used = 0;
        bool is_doubtful = false;
        std::string borrower{};
    };
    struct queued_wish {
        std::int64_t due;
        std::string kind;
    };

    bool has_lease(std::int64_t now, const std::string& gateway) const;
    bool is_alive(std::int64_t now, const std::string& gateway) const;
    bool is_young(std::int64_t now) const { return !born_ || now - *born_ < 3000; }
    void lend(int slot, const std::string& gateway, std::int64_t used, bool is_doubtful,
              std::uint64_t at_least);
    /// Returns whether the wish is fulfilled. A doubtful slot is lent, but does not fulfill the
    /// wish, because the gateway must watch it before use.
    bool lend_one_more(std::int64_t now, const std::string& gateway, int slots);

    std::map<std::string, std::int64_t> members_;
    std::map<std::string, std::string> processes_;  // by gateway
    std::set<std::string> gone_;                    // processes
    std::optional<std::int64_t> born_;
    bool is_new_run_ = true;
    std::uint64_t highest_ = 0;
    std::map<int, slot_record> slots_;
    std::map<std::string, queued_wish> wishes_;
    std::vector<std::string> messages_;
};

}  // namespace tandem::test
