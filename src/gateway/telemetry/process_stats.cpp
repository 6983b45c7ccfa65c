#include "gateway/telemetry/process_stats.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

namespace tandem::gateway {
namespace {

/// Unix time of the last boot, in seconds.
double boot_time() {
    std::ifstream stat("/proc/stat");
    double seconds = 0;
    for (std::string word; stat >> word;) {
        if (word == "btime") return stat >> seconds ? seconds : 0;
        stat.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

std::int64_t count_open_fds() {
    std::error_code ec;
    const std::filesystem::directory_iterator all("/proc/self/fd", ec);
    if (ec) return 0;
    return std::distance(begin(all), end(all)) - 1;  // minus the directory's own descriptor
}

std::int64_t get_fd_limit() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<std::int64_t>(limit.rlim_cur) : 0;
}

/// Reads the fields of /proc/self/stat, starting at the 14th (utime); see proc(5).
void read_stat(process_stats& out) {
    std::ifstream stat("/proc/self/stat");
    // The program name may contain spaces and parentheses; it ends at the last `)` of the line.
    std::string line;
    std::getline(stat, line);
    const auto name_end = line.rfind(')');
    if (name_end == line.npos) return;
    std::istringstream fields(line.substr(name_end + 1));
    std::string passed;
    for (int field = 3; field < 14; ++field) fields >> passed;
    double user = 0, system = 0, started = 0;
    std::int64_t size = 0, resident_pages = 0;
    fields >> user >> system;
    for (int field = 16; field < 22; ++field) fields >> passed;
    if (!(fields >> started >> size >> resident_pages)) return;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    out.cpu_seconds = (user + system) / ticks;
    out.start_time_seconds = boot_time() + started / ticks;
    out.virtual_memory_bytes = size;
    out.resident_memory_bytes = resident_pages * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

process_stats read_process_stats() {
    process_stats figures{.open_fds = count_open_fds(), .max_fds = get_fd_limit()};
    read_stat(figures);
    return figures;
}

}  // namespace tandem::gateway
