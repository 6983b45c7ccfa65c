#pragma once

#include <sys/resource.h>

namespace tandem::testing {

/// The user and system time of this thread since its start.
inline double cpu_seconds_of_this_thread() {
    rusage u{};
    getrusage(RUSAGE_THREAD, &u);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    return seconds(u.ru_utime) + seconds(u.ru_stime);
}

}  // namespace tandem::testing
