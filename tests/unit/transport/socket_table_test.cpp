#include "transport/socket_table.hpp"

#include "support/process.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tandem::transport {
namespace {

using boost::asio::ip::tcp;

struct counted_events : event_loop_listener {
    int ready = 0;
    void on_ready(curl_socket_t, int) override { ++ready; }
    void on_timeout() override {}
};

/// No new descriptor is available during the lifetime of this object.
class descriptors_used_up {
 public:
    descriptors_used_up() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{3, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &none);
    }
    ~descriptors_used_up() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    descriptors_used_up(const descriptors_used_up&) = delete;
    descriptors_used_up& operator=(const descriptors_used_up&) = delete;

 private:
    rlimit before_{};
};

// A socket that curl still keeps, as after a graceful shutdown of its connection.
class KeptSocket : public ::testing::Test {
 protected:
    boost::asio::io_context ioc;
    counted_events events;
    socket_table table{ioc.get_executor(), events};
    transfer_sockets owner;
    tcp::acceptor acceptor{ioc, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)};
    curl_socket_t fd = open_socket();
    tcp::socket peer = connect();

    curl_socket_t open_socket() {
        curl_sockaddr address{};
        address.family = AF_INET;
        address.socktype = SOCK_STREAM;
        return table.open(address, owner);
    }
    tcp::socket connect() {
        auto to = acceptor.local_endpoint();
        ::connect(fd, to.data(), static_cast<socklen_t>(to.size()));
        return acceptor.accept();
    }
    void TearDown() override { table.close(fd); }
};

TEST_F(KeptSocket, is_closed_for_the_peer_by_a_cut) {
    table.disconnect_sockets(owner);
    char byte;
    error_code ec;
    peer.read_some(boost::asio::buffer(&byte, 1), ec);
    EXPECT_EQ(ec, boost::asio::error::eof);
}

TEST_F(KeptSocket, keeps_its_number_after_a_cut) {
    table.disconnect_sockets(owner);
    const auto next = open_socket();
    EXPECT_NE(next, fd);
    table.close(next);
}

TEST_F(KeptSocket, wakes_curl_after_a_cut_if_it_was_waiting) {
    table.watch(fd, CURL_POLL_IN);
    table.disconnect_sockets(owner);
    table.watch_kept_sockets(owner);
    for (int i = 0; i < 10 && !events.ready; ++i) ioc.run_one_for(std::chrono::seconds(1));
    EXPECT_EQ(events.ready, 1);
}

TEST_F(KeptSocket, leaves_nothing_in_epoll_after_a_cut_and_a_close_without_a_word) {
    table.watch(fd, CURL_POLL_IN);
    const auto before = testing::epoll_registrations();
    table.disconnect_sockets(owner);
    table.watch_kept_sockets(owner);
    ::close(fd);
    EXPECT_EQ(testing::epoll_registrations(), before - 1);
    table.close(fd);
    fd = open_socket();
}

TEST_F(KeptSocket, is_closed_for_the_peer_by_a_cut_where_no_descriptor_is_left) {
    {
        const descriptors_used_up none;
        table.disconnect_sockets(owner);
    }
    char byte;
    error_code ec;
    peer.read_some(boost::asio::buffer(&byte, 1), ec);
    EXPECT_EQ(ec, boost::asio::error::eof);
}

// curl 7.88 closes a connecting socket without reporting the close. Another thread may then receive
// the same descriptor number.
TEST_F(KeptSocket, that_was_closed_without_a_word_is_no_longer_ours_at_a_cut) {
    ::close(fd);
    tcp::socket strangers(ioc);
    strangers.connect(acceptor.local_endpoint());
    ASSERT_EQ(strangers.native_handle(), fd);
    table.disconnect_sockets(owner);
    EXPECT_EQ(strangers.write_some(boost::asio::buffer("x", 1)), 1u);
    // TearDown() closes this socket, so the old number is closed only once.
    fd = open_socket();
}

// The thread that receives the descriptor number may register it in the same epoll instance.
TEST_F(KeptSocket, that_is_closed_without_a_word_during_a_cut_leaves_the_next_one_registered) {
    table.watch(fd, CURL_POLL_IN);
    table.disconnect_sockets(owner);
    ::close(fd);
    tcp::socket strangers(ioc);
    strangers.connect(acceptor.local_endpoint());
    ASSERT_EQ(strangers.native_handle(), fd);
    table.watch(fd, CURL_POLL_REMOVE);
    table.watch_kept_sockets(owner);
    tcp::socket sender = acceptor.accept();
    bool is_readable = false;
    strangers.async_wait(tcp::socket::wait_read, [&](const error_code& ec) { is_readable = !ec; });
    sender.write_some(boost::asio::buffer("x", 1));
    ioc.run_for(std::chrono::seconds(1));
    EXPECT_TRUE(is_readable);
    strangers.close();
    fd = open_socket();
}

TEST_F(KeptSocket, that_was_closed_without_a_word_leaves_its_number_to_the_next_owner) {
    ::close(fd);
    transfer_sockets next;
    curl_sockaddr address{};
    address.family = AF_INET;
    address.socktype = SOCK_STREAM;
    ASSERT_EQ(table.open(address, next), fd);
    peer = connect();
    table.disconnect_sockets(owner);
    EXPECT_EQ(::send(fd, "x", 1, MSG_NOSIGNAL), 1);
    // The table must not use the owner after the owner's destruction.
    table.close(fd);
    fd = open_socket();
}

TEST_F(KeptSocket, is_not_waited_for_after_its_close) {
    table.watch(fd, CURL_POLL_IN);
    table.close(fd);
    ioc.run();
    EXPECT_EQ(events.ready, 0);
    EXPECT_TRUE(owner.sockets.empty());
}

TEST(socket_table, can_be_made_if_no_descriptor_is_left) {
    boost::asio::io_context ioc;
    counted_events events;
    const descriptors_used_up none;
    EXPECT_NO_THROW(socket_table(ioc.get_executor(), events));
}

// Replaces the epoll descriptor of an io_context that does not run.
class epoll_out_of_order {
 public:
    epoll_out_of_order() {
        for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
            std::error_code ec;
            if (std::filesystem::read_symlink(fd.path(), ec) == "anon_inode:[eventpoll]")
                number_ = std::stoi(fd.path().filename());
        }
        kept_ = ::dup(number_);
        ::dup2(0, number_);
    }
    ~epoll_out_of_order() {
        ::dup2(kept_, number_);
        ::close(kept_);
    }
    epoll_out_of_order(const epoll_out_of_order&) = delete;
    epoll_out_of_order& operator=(const epoll_out_of_order&) = delete;

 private:
    int number_ = -1;
    int kept_ = -1;
};

TEST(socket_table, opens_no_socket_that_cannot_be_watched) {
    boost::asio::io_context ioc;
    const boost::asio::steady_timer makes_the_reactor(ioc);
    counted_events events;
    socket_table table(ioc.get_executor(), events);
    transfer_sockets owner;
    curl_sockaddr address{};
    address.family = AF_INET;
    address.socktype = SOCK_STREAM;
    const epoll_out_of_order broken;
    EXPECT_EQ(table.open(address, owner), CURL_SOCKET_BAD);
    EXPECT_TRUE(owner.sockets.empty());
}

// epoll refuses a closed descriptor, just as it refuses any descriptor when it has no room left.
TEST(socket_table, reports_a_socket_that_cannot_be_watched_once) {
    boost::asio::io_context ioc;
    counted_events events;
    socket_table table(ioc.get_executor(), events);
    const int closed = ::dup(0);
    ::close(closed);
    table.watch(closed, CURL_POLL_IN);
    for (int i = 0; i < 10; ++i) ioc.poll_one();
    EXPECT_EQ(events.ready, 1);
}

}  // namespace
}  // namespace tandem::transport
