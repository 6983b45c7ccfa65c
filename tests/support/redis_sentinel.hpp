#pragma once

#include "support/redis_server.hpp"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace tandem::testing {

/// A sentinel that monitors the primary "main", with a quorum of one. The sentinel starts a
/// fail-over half a second after the primary stops answering. Clients need the password, if there
/// is one.
class redis_sentinel {
 public:
    explicit redis_sentinel(const std::string& primary_port, const std::string& password = {}) {
        const auto file = folder_.name() + "/sentinel.conf";
        std::ofstream(file) << fmt::format(
            "port {}\ndir {}\nlogfile {}/sentinel.log\n"
            "sentinel monitor main 127.0.0.1 {} 1\n"
            "sentinel down-after-milliseconds main 500\n"
            "sentinel failover-timeout main 5000\n{}",
            port_, folder_.name(), folder_.name(), primary_port,
            password.empty() ? "" : "requirepass " + password + '\n');
        const boost::asio::ip::tcp::endpoint where(boost::asio::ip::address_v4::loopback(),
                                                   static_cast<unsigned short>(std::stoi(port_)));
        process_.emplace("/usr/bin/redis-server",
                         child_process::setup{.args = {file, "--sentinel"}});
        EXPECT_TRUE(poll_until([&] { return accepts_connections(where); }));
    }

    const std::string& port() const noexcept { return port_; }

 private:
    std::string port_ = find_free_port();
    temporary_folder folder_;
    std::optional<child_process> process_;
};

}  // namespace tandem::testing
