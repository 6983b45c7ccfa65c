#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

// What this process holds.
namespace tandem::testing {

inline std::size_t open_descriptors() {
    // The one that lists them does not count.
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all))) - 1;
}

/// Resident memory, in bytes.
inline std::size_t resident_bytes() {
    std::size_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace tandem::testing
