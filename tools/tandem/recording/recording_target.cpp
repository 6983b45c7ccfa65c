#include "recording/recording_target.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr mode_t owner_alone = S_IRUSR | S_IWUSR;
constexpr const char* has_writer = "another process is recording to it";
constexpr const char* is_foreign = "exists and is not a recording";

// Also returns true on a file system without locks, where the recording stays unlocked.
bool lock_recording(int fd) {
    return ::flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

// Prevents a mistyped path from overwriting another file, such as the prompts or the settings.
bool holds_recording(int fd) {
    std::array<char, 64> head{};
    const auto n = ::pread(fd, head.data(), head.size(), 0);
    return n > 0 &&
           std::string_view(head.data(), static_cast<std::size_t>(n)).find(R"("recording":)") !=
               std::string_view::npos;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

recording_target::recording_target(std::string path) : path_(std::move(path)) {
    open();
}

recording_target::~recording_target() {
    if (fd_ >= 0) ::close(fd_);
}

void recording_target::open() {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_alone);
    if (fd_ < 0) return refuse(path_, std::strerror(errno));
    struct stat about {};
    // A device or pipe needs none of the checks below, which protect older recordings.
    if (::fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode)) return;
    is_file_ = true;
    // Another process may have renamed this file since it was opened, and now records at this path.
    struct stat there {};
    if (!lock_recording(fd_) || ::stat(path_.c_str(), &there) != 0 || !is_same_file(about, there))
        return refuse(path_, has_writer);
    if (there.st_size > 0) check_older_recording();
}

void recording_target::check_older_recording() {
    if (!holds_recording(fd_)) return refuse(path_, is_foreign);
    std::error_code ec;
    const auto real = std::filesystem::canonical(path_, ec);
    if (ec) return refuse(path_, has_writer);  // another run has just renamed it
    real_path_ = real.string();
    older_ = real_path_ + ".old";
    check_kept();
    if (fault_.empty() && ::access(real.parent_path().c_str(), W_OK | X_OK) != 0)
        refuse(older_, std::strerror(errno));
}

// The rename overwrites FILE.old. Therefore, FILE.old must either not exist or be a recording
// without an active writer.
void recording_target::check_kept() {
    const int fd = ::open(older_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) return;
    if (fd < 0) return refuse(older_, errno == ELOOP ? is_foreign : std::strerror(errno));
    struct stat about {};
    const bool is_file = ::fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if (!is_file || (about.st_size > 0 && !holds_recording(fd)))
        refuse(older_, is_foreign);
    else if (!lock_recording(fd))
        refuse(older_, has_writer);
    ::close(fd);
}

// Keeps the older file locked until the new file is locked, so that another process finds a locked
// file whichever it opens.
void recording_target::move_older_recording_aside() {
    check_kept();
    if (!fault_.empty()) return;
    struct stat about {};
    struct stat there {};
    // Another program may have replaced the file at this path, which would then be renamed instead.
    if (::fstat(fd_, &about) != 0 || ::stat(real_path_.c_str(), &there) != 0 ||
        !is_same_file(about, there))
        return refuse(path_, "it was moved or replaced");
    if (std::rename(real_path_.c_str(), older_.c_str()) != 0)
        return refuse(older_, std::strerror(errno));
    const int fresh =
        ::open(real_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, owner_alone);
    if (fresh < 0) return refuse(path_, errno == EEXIST ? has_writer : std::strerror(errno));
    if (!lock_recording(fresh)) refuse(path_, has_writer);
    ::close(std::exchange(fd_, fresh));
}

int recording_target::take_descriptor() {
    if (fault_.empty() && has_older()) move_older_recording_aside();
    if (fault_.empty() && is_file_ && ::fchmod(fd_, owner_alone) != 0)
        refuse(path_, std::strerror(errno));
    return fault_.empty() ? std::exchange(fd_, -1) : -1;
}

void recording_target::refuse(const std::string& path, const char* why) {
    fault_ = fmt::format("{}: {}", path, why);
}

}  // namespace tandem::command
