#pragma once

#include "bench/bench_totals.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// Returns true if this program was built with the mock server.
bool has_mock() noexcept;

/// Mock servers in this process, each on its own thread. Precondition: has_mock().
class bench_mock {
 public:
    static constexpr int max_slots = 64;  // per server

    /// Starts as few servers as possible, all with the same number of slots, that together have at
    /// least `slots` slots. A rate of 0 means as fast as possible. Throws the exceptions of the
    /// mock::server constructor.
    bench_mock(int slots, double tokens_per_second);
    ~bench_mock();

    std::vector<std::string> urls() const;
    /// Total number of slots of all servers.
    int slots() const noexcept;
    /// Returns the cuts among the latest requests of each server, which keeps at least 4096
    /// requests.
    std::vector<observed_cut> cuts() const;

 private:
    class servers;
    std::unique_ptr<servers> servers_;
};

}  // namespace tandem::command
