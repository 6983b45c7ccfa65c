#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <unistd.h>

// The resources of this process.
namespace tandem::testing {

inline std::size_t open_descriptors() {
    // The descriptor that lists the directory is not counted.
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all))) - 1;
}

// Memory cannot be measured with sanitizers, because they retain freed memory. GCC announces
// sanitizers by macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_memory_measurable = false;
#elif defined(__has_feature)
inline constexpr bool is_memory_measurable = !__has_feature(address_sanitizer) &&
                                             !__has_feature(memory_sanitizer) &&
                                             !__has_feature(thread_sanitizer);
#else
inline constexpr bool is_memory_measurable = true;
#endif

/// The number of files that epoll watches in this process, even if their descriptors are closed.
inline std::size_t epoll_registrations() {
    std::size_t count = 0;
    for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
        std::ifstream info(fd.path());
        for (std::string line; std::getline(info, line);) count += line.starts_with("tfd:");
    }
    return count;
}

/// The number of bytes allocated on the heap.
inline std::size_t heap_bytes() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// Resident memory, in bytes.
inline std::size_t resident_bytes() {
    std::size_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace tandem::testing
