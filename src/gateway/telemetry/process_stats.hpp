#pragma once

#include <cstdint>

namespace tandem::gateway {

/// Resource usage of a process, in the units of its metrics.
struct process_stats {
    double cpu_seconds = 0;
    /// Unix time.
    double start_time_seconds = 0;
    std::int64_t resident_memory_bytes = 0;
    std::int64_t virtual_memory_bytes = 0;
    std::int64_t open_fds = 0;
    std::int64_t max_fds = 0;
};

/// Reads /proc; unavailable values are 0.
process_stats read_process_stats();

}  // namespace tandem::gateway
