#include "serve/audit_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace tandem::command {

audit_file::audit_file(std::string path, std::function<void(const std::string&)> on_fault)
    : path_(std::move(path)), on_fault_(std::move(on_fault)) {}

audit_file::~audit_file() {
    if (fd_ >= 0) ::close(fd_);
}

std::string audit_file::open() {
    constexpr int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    const int fd = ::open(path_.c_str(), flags, S_IRUSR | S_IWUSR);
    if (fd < 0) return fmt::format("{}: {}", path_, std::strerror(errno));
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
    has_failed_ = is_inside_line_ = false;
    return {};
}

void audit_file::write(std::string_view line) {
    const int fault = append(fmt::format("{}{}\n", is_inside_line_ ? "\n" : "", line));
    if (fault != 0 && !std::exchange(has_failed_, true))
        on_fault_(
            fmt::format("cannot write to {}: {}; lines are lost", path_, std::strerror(fault)));
}

// Returns 0 or the errno of the failed write.
int audit_file::append(std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(fd_, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
        is_inside_line_ = !text.empty();
    }
    return 0;
}

}  // namespace tandem::command
