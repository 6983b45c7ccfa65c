#pragma once

#include <cstdint>

namespace tandem::gateway {

/// What the system knows of a process, in the units of its metrics.
struct process_figures {
    double cpu_seconds = 0;
    /// Unix time.
    double start_time_seconds = 0;
    std::int64_t resident_memory_bytes = 0;
    std::int64_t virtual_memory_bytes = 0;
    std::int64_t open_fds = 0;
    std::int64_t max_fds = 0;
};

/// From /proc; what cannot be read there is 0.
process_figures figures_of_this_process();

}  // namespace tandem::gateway
