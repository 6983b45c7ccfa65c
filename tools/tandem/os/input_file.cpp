#include "os/input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace tandem::command {
namespace {

// stdin may be non-blocking, because another process set it so. This function waits as a blocking
// read would.
void wait_for_input(int fd) {
    pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
    ::poll(&wanted, 1, -1);
}

}  // namespace

input_descriptor::input_descriptor(const std::string& path)
    : owned_(path != "-"),
      fd_(owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO) {}

input_descriptor::~input_descriptor() {
    if (owned_ && fd_ >= 0) ::close(fd_);
}

std::string input_name(const std::string& path) {
    return path == "-" ? "stdin" : path;
}

file_content read_file(const std::string& path, std::size_t max_bytes) {
    constexpr std::size_t step = 256u << 10;
    const auto name = input_name(path);
    const auto failed = [&] { return file_content{{}, name + ": " + std::strerror(errno)}; };
    const input_descriptor file(path);
    if (file.get() < 0) return failed();
    std::string text;
    for (;;) {
        const auto size = text.size();
        text.resize(size + step);
        const auto n = ::read(file.get(), text.data() + size, step);
        text.resize(size + static_cast<std::size_t>(n > 0 ? n : 0));
        if (n == 0) return {std::move(text), {}};
        if (n < 0 && errno == EAGAIN)
            wait_for_input(file.get());
        else if (n < 0 && errno != EINTR)
            return failed();
        if (text.size() > max_bytes)
            return {{}, fmt::format("{}: larger than the limit of {} bytes", name, max_bytes)};
    }
}

}  // namespace tandem::command
