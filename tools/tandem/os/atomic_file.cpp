#include "os/atomic_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tandem::command {
namespace {

namespace fs = std::filesystem;

// Follows links, even to a file that does not exist yet, so that the write preserves the link.
fs::path target_of(fs::path path) {
    constexpr int max_links = 40;  // the limit of Linux
    std::error_code ec;
    for (int i = 0; i < max_links && fs::is_symlink(path, ec); ++i)
        path = path.parent_path() / fs::read_symlink(path, ec);
    return path;
}

/// A temporary file next to its target. Removed by the destructor unless it has replaced the
/// target.
class part_file {
 public:
    explicit part_file(const fs::path& target)
        : target_(target.string()), name_(target_ + ".part-XXXXXX") {
        // Uses a unique name, because a killed run may leave its file.
        fd_ = ::mkostemp(name_.data(), O_CLOEXEC);
        if (fd_ < 0 || ::fchmod(fd_, mode()) != 0) fault_ = errno;
    }
    ~part_file() {
        if (fd_ >= 0) ::close(fd_);
        if (fd_ >= 0 && !is_done_) ::unlink(name_.c_str());
    }
    part_file(const part_file&) = delete;
    part_file& operator=(const part_file&) = delete;

    void write(std::string_view text) {
        while (fault_ == 0 && !text.empty()) {
            const auto n = ::write(fd_, text.data(), text.size());
            if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
            if (n < 0 && errno != EINTR) fault_ = errno;
        }
    }
    void become_target() {
        if (fault_ != 0) return;
        // Syncs first, so that a crash cannot leave a truncated target.
        is_done_ = ::fsync(fd_) == 0 && std::rename(name_.c_str(), target_.c_str()) == 0;
        if (!is_done_) fault_ = errno;
    }
    /// An errno; 0 = none.
    int fault() const noexcept { return fault_; }

 private:
    // Keeps the permissions of the replaced file; a new file gets the default permissions.
    mode_t mode() const {
        struct stat there {};
        if (::stat(target_.c_str(), &there) == 0) return there.st_mode & 0777;
        const mode_t mask = ::umask(0);
        ::umask(mask);
        return 0666 & ~mask;
    }

    std::string target_;
    std::string name_;
    int fd_ = -1;
    int fault_ = 0;
    bool is_done_ = false;
};

std::string file_fault_text(const std::string& path, int fault) {
    return fault == 0 ? std::string() : fmt::format("{}: {}", path, std::strerror(fault));
}

}  // namespace

std::string atomic_file::fault() const {
    const auto target = target_of(path_);
    std::error_code ec;
    const auto status = fs::status(target, ec);
    if (fs::exists(status) && !fs::is_regular_file(status))
        return path_ + ": exists and is not a regular file; name another file";
    return file_fault_text(path_, part_file(target).fault());
}

std::string atomic_file::write(std::string_view text) const {
    part_file part(target_of(path_));
    part.write(text);
    part.become_target();
    return file_fault_text(path_, part.fault());
}

}  // namespace tandem::command
