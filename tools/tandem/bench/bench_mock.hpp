#pragma once

#include "bench/bench_totals.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// Whether this command was built with the mock server.
bool has_mock() noexcept;

/// Mock servers in this process, each on a thread of its own. Precondition: has_mock().
class bench_mock {
 public:
    static constexpr int most_slots = 64;  // of one server

    /// As many servers of the same size as so many slots take. 0 tokens a second = as fast as they
    /// can. Throws as mock::server does.
    bench_mock(int slots, double tokens_per_second);
    ~bench_mock();
    bench_mock(const bench_mock&) = delete;
    bench_mock& operator=(const bench_mock&) = delete;

    std::vector<std::string> urls() const;
    /// Of all servers together.
    int slots() const noexcept;
    /// The cuts among the latest requests: 4096 of each server at least.
    std::vector<seen_cut> cuts() const;

 private:
    class servers;
    std::unique_ptr<servers> servers_;
};

}  // namespace tandem::command
