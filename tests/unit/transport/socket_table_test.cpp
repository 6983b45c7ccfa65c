#include "transport/socket_table.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

namespace tandem::transport {
namespace {

using boost::asio::ip::tcp;

struct counted_events : loop_events {
    int ready = 0;
    void on_ready(curl_socket_t, int) override { ++ready; }
    void on_timeout() override {}
};

// What a curl that shuts down connections gracefully leaves behind: sockets it still keeps.
class KeptSocket : public ::testing::Test {
 protected:
    boost::asio::io_context ioc;
    counted_events events;
    socket_table table{ioc.get_executor(), events};
    socket_owner owner;
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
    table.cut(owner);
    char byte;
    error_code ec;
    peer.read_some(boost::asio::buffer(&byte, 1), ec);
    EXPECT_EQ(ec, boost::asio::error::eof);
}

TEST_F(KeptSocket, keeps_its_number_after_a_cut) {
    table.cut(owner);
    EXPECT_NE(open_socket(), fd);
    table.close(owner.sockets.at(0));
}

TEST_F(KeptSocket, wakes_curl_after_a_cut_if_it_was_waiting) {
    table.watch(fd, CURL_POLL_IN);
    table.cut(owner);
    for (int i = 0; i < 10 && !events.ready; ++i) ioc.run_one_for(std::chrono::seconds(1));
    EXPECT_EQ(events.ready, 1);
}

// As curl 7.88 does with a connection that is not up yet; another thread may get the number.
TEST_F(KeptSocket, that_was_closed_without_a_word_is_no_longer_ours_at_a_cut) {
    ::close(fd);
    tcp::socket strangers(ioc);
    strangers.connect(acceptor.local_endpoint());
    ASSERT_EQ(strangers.native_handle(), fd);
    table.cut(owner);
    EXPECT_EQ(strangers.write_some(boost::asio::buffer("x", 1)), 1u);
    // So that TearDown() closes it once.
    fd = open_socket();
}

TEST_F(KeptSocket, that_was_closed_without_a_word_leaves_its_number_to_the_next_owner) {
    ::close(fd);
    socket_owner next;
    curl_sockaddr address{};
    address.family = AF_INET;
    address.socktype = SOCK_STREAM;
    ASSERT_EQ(table.open(address, next), fd);
    peer = connect();
    table.cut(owner);
    EXPECT_EQ(::send(fd, "x", 1, MSG_NOSIGNAL), 1);
    // The owner must not be asked for after its end.
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

}  // namespace
}  // namespace tandem::transport
