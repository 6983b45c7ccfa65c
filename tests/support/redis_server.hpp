#pragma once

#include "support/child_process.hpp"
#include "support/poll_until.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

/// A port that nothing uses now, for programs that cannot report the port they chose.
inline std::string find_free_port() {
    using boost::asio::ip::tcp;
    boost::asio::io_context loop;
    const tcp::acceptor a(loop, {boost::asio::ip::address_v4::loopback(), 0});
    return std::to_string(a.local_endpoint().port());
}

/// Whether something listens at this endpoint.
template <class Endpoint>
bool accepts_connections(const Endpoint& where) {
    boost::asio::io_context loop;
    typename Endpoint::protocol_type::socket socket(loop);
    boost::system::error_code ec;
    socket.connect(where, ec);
    return !ec;
}

/// A folder that is removed with this object.
class temporary_folder {
 public:
    temporary_folder() { EXPECT_TRUE(::mkdtemp(name_.data())); }
    ~temporary_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(name_, ignored);
    }
    temporary_folder(const temporary_folder&) = delete;
    temporary_folder& operator=(const temporary_folder&) = delete;

    const std::string& name() const noexcept { return name_; }

 private:
    std::string name_ = std::filesystem::temp_directory_path() / "tandem-redis-XXXXXX";
};

/// Debian's redis-server, which listens on its own Unix socket and stores no data in files.
class redis_server {
 public:
    explicit redis_server(std::vector<std::string> arguments = {})
        : arguments_(std::move(arguments)) {
        start();
    }
    std::string url() const { return "unix://" + path(); }

    void start() {
        std::vector<std::string> arguments{"--port",       "0",         "--unixsocket",
                                           path(),         "--save",    "",
                                           "--appendonly", "no",        "--dir",
                                           folder_.name(), "--logfile", folder_.name() + "/log"};
        arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
        process_.emplace("/usr/bin/redis-server", child_process::setup{.args = arguments});
        EXPECT_TRUE(poll_until([this] {
            return accepts_connections(boost::asio::local::stream_protocol::endpoint(path()));
        }));
    }
    /// All data of the store is lost.
    void kill() { process_.reset(); }
    void suspend() { process_->send_signal(SIGSTOP); }
    void resume() { process_->send_signal(SIGCONT); }

 private:
    std::string path() const { return folder_.name() + "/socket"; }

    temporary_folder folder_;
    std::vector<std::string> arguments_;
    std::optional<child_process> process_;
};

}  // namespace tandem::testing
