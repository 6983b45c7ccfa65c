#include "os/process_memory.hpp"

#include <fstream>
#include <unistd.h>

namespace tandem::command {

std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    return statm >> size >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace tandem::command
