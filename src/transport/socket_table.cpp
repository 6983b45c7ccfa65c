#include "transport/socket_table.hpp"

#include "transport/curl_handles.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace tandem::transport {
namespace {

// Closes the connection of `fd` immediately, but keeps the descriptor in use: it then refers to an
// unconnected socket, on which the next read or write of curl fails. Each descriptor gets its own
// such socket. epoll keeps a registration until all descriptors of a socket are closed, so a shared
// socket would stay registered after curl closes one of them.
void disconnect(curl_socket_t fd) noexcept {
    const int dead_end = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (dead_end < 0) {
        // The process has no descriptor left. At least, the peer sees the end of the connection.
        ::shutdown(fd, SHUT_RDWR);
        return;
    }
    while (::dup3(dead_end, fd, O_CLOEXEC) < 0 && (errno == EINTR || errno == EBUSY)) continue;
    ::close(dead_end);
}

// 0 if `fd` is not a socket.
std::uint64_t cookie_of(curl_socket_t fd) noexcept {
    std::uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    const bool known = ::getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0;
    return known ? cookie : 0;
}

// False without cookies, because another socket may have got the descriptor of ours.
bool is_same_socket(std::uint64_t opened, std::uint64_t found) noexcept {
    return opened != 0 && opened == found;
}

}  // namespace

socket_table::socket_table(boost::asio::any_io_executor executor, event_loop_listener& events)
    : executor_(std::move(executor)), events_(events) {}

socket_table::~socket_table() {
    stop_watching();
}

CURLcode socket_table::attach(CURL* easy, transfer_sockets& owner) {
    owner.table = this;
    option_setter set(easy);
    set(CURLOPT_OPENSOCKETFUNCTION, &socket_table::open_trampoline);
    set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&owner));
    set(CURLOPT_CLOSESOCKETFUNCTION, &socket_table::close_trampoline);
    set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(this));
    return set.result();
}

curl_socket_t socket_table::open_trampoline(void* owner, curlsocktype,
                                            curl_sockaddr* address) noexcept {
    auto& o = *static_cast<transfer_sockets*>(owner);
    return o.table->open(*address, o);
}

int socket_table::close_trampoline(void* table, curl_socket_t fd) noexcept {
    static_cast<socket_table*>(table)->close(fd);
    return 0;
}

curl_socket_t socket_table::open(const curl_sockaddr& address, transfer_sockets& owner) noexcept {
    // A child process that inherited the socket would keep the connection open after a cut.
    const int type = address.socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
    const curl_socket_t fd = ::socket(address.family, type, address.protocol);
    if (fd < 0) return CURL_SOCKET_BAD;
    try {
        owner.sockets.push_back(fd);
        auto& e = entries_[fd] = {.owner = &owner, .cookie = cookie_of(fd)};
        e.watcher = std::make_shared<socket_watcher>(executor_, fd, events_);
        if (e.watcher->is_registered()) return fd;
    } catch (...) {
    }
    // Without a socket, curl ends the transfer. With one that cannot be watched, it would wait
    // until its time limit.
    forget(fd);
    std::erase(owner.sockets, fd);
    ::close(fd);
    return CURL_SOCKET_BAD;
}

void socket_table::close(curl_socket_t fd) noexcept {
    forget(fd);
    ::close(fd);
}

void socket_table::watch(curl_socket_t fd, int what) {
    if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE) return unwatch(fd);
    auto& e = entries_[fd];
    if (!e.watcher) e.watcher = std::make_shared<socket_watcher>(executor_, fd, events_);
    e.watcher->set_reading_held(e.owner && e.owner->held);
    e.watcher->set_interest(what);
}

void socket_table::set_reading_held(transfer_sockets& owner, bool held) {
    if (std::exchange(owner.held, held) == held) return;
    for (const auto fd : owner.sockets)
        if (const auto found = find(fd, owner); found != entries_.end() && found->second.watcher)
            found->second.watcher->set_reading_held(held);
}

// Checks the owner, because a later transfer may own the descriptor if curl closed the socket
// without reporting it.
socket_table::entry_map::iterator socket_table::find(curl_socket_t fd,
                                                     const transfer_sockets& owner) noexcept {
    const auto found = entries_.find(fd);
    return found != entries_.end() && found->second.owner == &owner ? found : entries_.end();
}

void socket_table::disconnect_sockets(transfer_sockets& owner) noexcept {
    for (const auto fd : owner.sockets) {
        const auto found = find(fd, owner);
        if (found == entries_.end()) continue;
        auto& e = found->second;
        e.owner = nullptr;
        const auto watcher = std::exchange(e.watcher, nullptr);
        if (watcher) watcher->close();
        if (!is_same_socket(e.cookie, cookie_of(fd))) {
            entries_.erase(found);
            continue;
        }
        disconnect(fd);
        e.cookie = cookie_of(fd);
        e.kept_interest = watcher ? watcher->interest() : 0;
    }
}

void socket_table::watch_kept_sockets(transfer_sockets& owner) noexcept {
    for (const auto fd : std::exchange(owner.sockets, {})) {
        const auto found = entries_.find(fd);
        if (found == entries_.end() || found->second.owner) continue;
        const auto& e = found->second;
        if (e.watcher) continue;
        if (is_same_socket(e.cookie, cookie_of(fd)))
            watch_again(fd, e.kept_interest);
        else
            entries_.erase(found);
    }
}

// The watcher makes curl notice the dead connection immediately instead of at its timeout.
void socket_table::watch_again(curl_socket_t fd, int what) noexcept try {
    watch(fd, what);
} catch (...) {
}

void socket_table::stop_watching() {
    for (auto& [fd, found] : entries_)
        if (auto watcher = std::exchange(found.watcher, nullptr)) watcher->close();
}

void socket_table::unwatch(curl_socket_t fd) {
    const auto found = entries_.find(fd);
    if (found == entries_.end()) return;
    if (auto watcher = std::exchange(found->second.watcher, nullptr)) watcher->close();
    if (!found->second.owner) entries_.erase(found);
}

void socket_table::forget(curl_socket_t fd) noexcept {
    const auto found = entries_.find(fd);
    if (found == entries_.end()) return;
    if (found->second.watcher) found->second.watcher->close();
    if (found->second.owner) std::erase(found->second.owner->sockets, fd);
    entries_.erase(found);
}

}  // namespace tandem::transport
