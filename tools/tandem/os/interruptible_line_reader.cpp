#include "os/interruptible_line_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr std::size_t step = 64u << 10;

}  // namespace

interruptible_line_reader::outcome interruptible_line_reader::read_next(std::string& line) {
    for (;;) {
        const auto end = buffer_.find('\n', searched_);
        if (end != std::string::npos) return take(end, line);
        searched_ = buffer_.size();
        drop_too_long();
        const auto more = read_more();
        if (more == outcome::end && (buffer_.size() > start_ || too_long_))
            return take(buffer_.size(), line);
        if (more != outcome::line) return more;
    }
}

interruptible_line_reader::outcome interruptible_line_reader::read_available(std::string& bytes) {
    const auto result = read_more();
    bytes = std::exchange(buffer_, {});
    return result;
}

interruptible_line_reader::outcome interruptible_line_reader::take(std::size_t end,
                                                                   std::string& line) {
    const bool fits = !std::exchange(too_long_, false) && end - start_ <= max_bytes_;
    if (fits) line.assign(buffer_, start_, end - start_);
    start_ = searched_ = std::min(end + 1, buffer_.size());
    return fits ? outcome::line : outcome::too_long;
}

void interruptible_line_reader::drop_too_long() {
    if (buffer_.size() - start_ <= max_bytes_) return;
    too_long_ = true;
    start_ = searched_ = buffer_.size();
}

// Returns false if reading must stop.
bool interruptible_line_reader::wait() {
    for (;;) {
        std::array<pollfd, 2> wanted{{{.fd = stop_, .events = POLLIN, .revents = 0},
                                      {.fd = fd_, .events = POLLIN, .revents = 0}}};
        const int ready = ::poll(wanted.data(), wanted.size(), -1);
        if (ready > 0) return wanted[0].revents == 0;
        if (ready < 0 && errno != EINTR && errno != EAGAIN) return true;  // read() reports it
    }
}

interruptible_line_reader::outcome interruptible_line_reader::read_more() {
    buffer_.erase(0, std::exchange(start_, 0));
    searched_ = buffer_.size();
    for (;;) {
        if (!wait()) return outcome::stopped;
        std::array<char, step> bytes;
        const auto n = ::read(fd_, bytes.data(), bytes.size());
        if (n == 0) return outcome::end;
        if (n > 0) {
            buffer_.append(bytes.data(), static_cast<std::size_t>(n));
            return outcome::line;
        }
        if (errno == EAGAIN || errno == EINTR) continue;
        failure_ = errno;
        return outcome::failed;
    }
}

}  // namespace tandem::command
