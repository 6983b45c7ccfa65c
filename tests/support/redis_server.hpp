#pragma once

#include "support/child_process.hpp"
#include "support/poll_until.hpp"

#include <boost/asio/io_context.hpp>
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

/// A redis-server of Debian that listens on a Unix socket of its own, without files.
class redis_server {
 public:
    explicit redis_server(std::vector<std::string> arguments = {})
        : arguments_(std::move(arguments)) {
        start();
    }
    ~redis_server() {
        process_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    redis_server(const redis_server&) = delete;
    redis_server& operator=(const redis_server&) = delete;

    std::string url() const { return "unix://" + path(); }

    void start() {
        std::vector<std::string> arguments{"--port", "0",    "--unixsocket", path(),
                                           "--save", "",     "--appendonly", "no",
                                           "--dir",  folder_};
        arguments.insert(arguments.end(), arguments_.begin(), arguments_.end());
        process_.emplace("/usr/bin/redis-server", child_process::setup{.args = arguments});
        EXPECT_TRUE(poll_until([this] { return accepts_connections(); }));
    }
    /// With all that it knows.
    void kill() { process_.reset(); }
    void suspend() { process_->send_signal(SIGSTOP); }
    void resume() { process_->send_signal(SIGCONT); }

 private:
    std::string path() const { return folder_ + "/socket"; }

    static std::string make_folder() {
        std::string name = std::filesystem::temp_directory_path() / "tandem-redis-XXXXXX";
        EXPECT_TRUE(::mkdtemp(name.data()));
        return name;
    }

    bool accepts_connections() const {
        boost::asio::io_context loop;
        boost::asio::local::stream_protocol::socket socket(loop);
        boost::system::error_code ec;
        socket.connect(path(), ec);
        return !ec;
    }

    std::string folder_ = make_folder();
    std::vector<std::string> arguments_;
    std::optional<child_process> process_;
};

}  // namespace tandem::testing
