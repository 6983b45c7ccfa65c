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
    /// A record to write to the store: whether a server is drained.
    struct mark {
        std::string server;
        bool is_drained = false;
        /// The store may have lost this mark, and gets it again, unless it has a mark for the
        /// server.
        bool is_restored = false;

        friend bool operator==(const mark&, const mark&) = default;
    };

    /// An operator has drained the server at this gateway, or has ended its drain.
    void set_drained(const std::string& server, bool is_drained);
    /// Compares the drains with the store's list of drained servers; `is_lost`: the store may have
    /// lost marks. Returns the drains to end here, and all drains to start: even those that were
    /// returned before, because a server may have been added since.
    std::vector<change> update(const std::set<std::string>& listed, bool is_lost);

    /// The marks for which mark_written() has not been called.
    std::vector<mark> list_unwritten_marks() const;
    void mark_written(const mark& m);

 private:
    std::set<std::string> drained_;
    std::map<std::string, mark> unwritten_;  // by server
};

}  // namespace tandem::cluster
