#pragma once

#include "tandem/duration.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// The addresses of a host, or why they are not known.
using addresses_handler =
    std::function<void(std::vector<std::string> addresses, std::string fault)>;
/// Finds the addresses of a host, and calls the handler on the loop.
using resolve_function = std::function<void(const std::string& host, addresses_handler done)>;

/// Resolves names with the system's resolver, each at most once at a time. On one loop.
class name_resolver {
 public:
    name_resolver(boost::asio::any_io_executor executor, duration limit)
        : executor_(std::move(executor)), limit_(limit) {}

    void resolve(const std::string& host, addresses_handler done);

 private:
    struct lookup;

    boost::asio::any_io_executor executor_;
    duration limit_;
    /// The system's resolver cannot be interrupted, so a lookup may outlive the limit.
    std::map<std::string, std::weak_ptr<lookup>> running_;
};

}  // namespace tandem::command
