#include "recording/recording_file.hpp"

#include "recording/recording_target.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tandem::command {

// Flushes after every line, so that a crash loses at most one line.
class recording_file::lines {
 public:
    explicit lines(const std::string& path) : path_(path), place_(path), fault_(place_.fault()) {
        if (!place_.has_older()) begin();
    }
    ~lines() { close(); }

    bool begin() {
        const std::scoped_lock lock(mutex_);
        if (file_ || is_closed_ || !fault_.empty()) return file_ != nullptr;
        const int fd = place_.take_descriptor();
        fault_ = place_.fault();
        if (fd < 0) return false;
        file_ = ::fdopen(fd, "w");
        if (!file_) {
            note_errno();
            ::close(fd);
        } else {
            put(std::exchange(buffered_, {}));
        }
        return file_ != nullptr;
    }
    void write(std::string_view line) {
        const std::scoped_lock lock(mutex_);
        if (is_closed_ || !fault_.empty()) return;
        const auto whole = fmt::format("{}\n", line);
        if (file_)
            put(whole);
        else
            buffered_ += whole;
    }
    std::string fault() {
        const std::scoped_lock lock(mutex_);
        return fault_;
    }
    void close() {
        const std::scoped_lock lock(mutex_);
        is_closed_ = true;
        if (file_ && std::fclose(std::exchange(file_, nullptr)) != 0) note_errno();
    }

 private:
    void put(std::string_view text) {
        std::fwrite(text.data(), 1, text.size(), file_);
        if (std::fflush(file_) != 0) note_errno();
    }
    void note_errno() {
        if (fault_.empty()) fault_ = fmt::format("{}: {}", path_, std::strerror(errno));
    }

    std::string path_;
    std::mutex mutex_;
    recording_target place_;
    /// Lines written before begin(), which moves an older recording aside.
    std::string buffered_;
    std::FILE* file_ = nullptr;
    std::string fault_;
    bool is_closed_ = false;
};

recording_file::recording_file(const record_options& options, const recorded_run& run,
                               instruments& i) {
    if (options.file.empty()) return;
    lines_ = std::make_shared<lines>(options.file);
    if (!lines_->fault().empty()) return;
    recorder_ = std::make_shared<tandem::recorder>(
        [to = lines_](std::string_view line) { to->write(line); },
        recorder_options{.prompts = options.prompts});
    recorder_->note(format_run_note(run, options.prompts));
    i.record = recorder_;
}

recording_file::~recording_file() {
    if (lines_) lines_->close();
}

bool recording_file::begin() {
    return !lines_ || lines_->begin();
}

std::string recording_file::fault() const {
    const auto fault = lines_ ? lines_->fault() : "";
    return fault.empty() ? fault : "--record " + fault;
}

}  // namespace tandem::command
