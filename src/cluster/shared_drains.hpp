#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tandem::cluster {

/// Decides which servers are drained, from the store's list and from the requests of operators to
/// this gateway. Pure.
class shared_drains {
 public:
    struct change {
        std::string server;
        bool is_drained = false;

        friend bool operator==(const change&, const change&) = default;
    };
    /// A change of a drain to write to the store.
    struct mark {
        std::string server;
        bool is_drained = false;
        /// The mark repeats one that the store may have lost. If the store has a later mark, the
        /// later mark applies.
        bool is_restored = false;

        friend bool operator==(const mark&, const mark&) = default;
    };

    /// An operator has drained the server at this gateway, or has ended its drain.
    void set_drained(const std::string& server, bool is_drained);
    /// Takes the store's list of drained servers; `is_lost`: the store may have lost marks. Returns
    /// the drains to start or end at this gateway. Drains are repeated, because a server may have
    /// been added since.
    std::vector<change> update(const std::set<std::string>& listed, bool is_lost);

    /// The marks to write to the store, until mark_written().
    std::vector<mark> list_unwritten_marks() const;
    void mark_written(const mark& m);

 private:
    std::set<std::string> drained_;
    std::map<std::string, mark> unwritten_;  // by server
};

}  // namespace tandem::cluster
