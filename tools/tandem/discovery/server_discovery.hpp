#pragma once

#include "discovery/name_resolver.hpp"
#include "discovery/server_sources.hpp"
#include "run/repeating_timer.hpp"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tandem::command {

/// Queries the sources of servers every 5 s, and reports the servers of a model when they change.
/// Use it on the loop, and destroy it after the loop has ended.
class server_discovery {
 public:
    struct callbacks {
        std::function<void(const gateway::model_servers&)> changed;
        std::function<void(log_level, const std::string&)> log;
    };

    server_discovery(boost::asio::io_context& loop, std::vector<server_source> sources,
                     resolve_function resolve, callbacks calls);

    /// Queries the sources immediately, then periodically. Has no effect if no source can change.
    void start();
    void query_all_sources();

 private:
    void query_source(std::size_t source);
    void on_answer(std::size_t source, source_answer answer);

    std::vector<server_source> sources_;
    resolve_function resolve_;
    callbacks calls_;
    repeating_timer timer_;
};

}  // namespace tandem::command
