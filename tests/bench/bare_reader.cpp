#include "bare_reader.hpp"

#include "token_hose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tandem::testing {
namespace {

using clock_type = std::chrono::steady_clock;

constexpr std::string_view end_of_sentence = R"("content":".")";

int connect_to(const std::string& url) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto port = std::stoi(url.substr(url.rfind(':') + 1));
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        throw std::system_error(errno, std::system_category(), "connect");
    return fd;
}

class bare_streams {
 public:
    bare_streams(std::size_t count) : ends(count), sockets_(count, -1), kept_(count) {}
    ~bare_streams() {
        for (const int fd : sockets_)
            if (fd >= 0) ::close(fd);
        ::close(epoll_);
    }

    void begin(std::size_t stream, const std::string& url, int tokens) {
        const int fd = sockets_[stream] = connect_to(url);
        const auto body = fmt::format(R"({{"prompt":"{}","n_predict":{}}})",
                                      token_hose::prompt_of(static_cast<int>(stream)), tokens);
        const auto request = fmt::format(
            "POST /completion HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
        ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
        epoll_event e{.events = EPOLLIN, .data = {.u64 = stream}};
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &e);
        ++open_;
    }

    void wait(int milliseconds) {
        std::array<epoll_event, 256> ready{};
        const int count =
            ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), milliseconds);
        for (int i = 0; i < count; ++i) read(ready.at(static_cast<std::size_t>(i)).data.u64);
    }

    bool has_open() const noexcept { return open_ > 0; }

    std::vector<std::vector<clock_type::time_point>> ends;

 private:
    // Keeps the last bytes, because the end of a sentence may be divided between two reads.
    void read(std::size_t stream) {
        auto& kept = kept_[stream];
        kept.copy(buffer_.data(), kept.size());
        const auto count =
            ::recv(sockets_[stream], buffer_.data() + kept.size(), buffer_.size() - kept.size(), 0);
        if (count <= 0) {
            ::close(std::exchange(sockets_[stream], -1));
            --open_;
            return;
        }
        const auto now = clock_type::now();
        const std::string_view bytes(buffer_.data(), kept.size() + static_cast<std::size_t>(count));
        for (auto at = bytes.find(end_of_sentence); at != bytes.npos;
             at = bytes.find(end_of_sentence, at + 1))
            ends[stream].push_back(now);
        kept.assign(
            bytes.substr(bytes.size() - std::min(bytes.size(), end_of_sentence.size() - 1)));
    }

    int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    std::vector<int> sockets_;
    std::vector<std::string> kept_;  // the last bytes of each stream, fewer than a sentence end has
    std::array<char, 16384> buffer_{};
    int open_ = 0;
};

}  // namespace

std::vector<std::vector<clock_type::time_point>> read_with_epoll(
    const std::vector<std::string>& urls, int streams, int tokens,
    clock_type::duration begin_within) {
    bare_streams all(static_cast<std::size_t>(streams));
    const auto began = clock_type::now();
    for (int i = 0; i < streams; ++i) {
        while (clock_type::now() < began + begin_within * i / streams) all.wait(1);
        const auto place = static_cast<std::size_t>(i);
        all.begin(place, urls[place % urls.size()], tokens);
    }
    while (all.has_open()) all.wait(100);
    return std::move(all.ends);
}

}  // namespace tandem::testing
