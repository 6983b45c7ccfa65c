#pragma once

#include "tandem/duration.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tandem::command {

/// The addresses of a host, or the reason why the lookup failed.
using addresses_handler =
    std::function<void(std::vector<std::string> addresses, std::string fault)>;
/// Looks up the addresses of a host. The handler is called on the loop.
using resolve_function = std::function<void(const std::string& host, addresses_handler done)>;

/// Resolves names with the system's resolver. Runs one lookup per name at a time. Further calls for
/// the name get the result of the running lookup or, if it exceeds the time limit, a fault. Use it
/// on one loop.
class name_resolver {
 public:
    name_resolver(boost::asio::any_io_executor executor, duration limit)
        : executor_(std::move(executor)), limit_(limit) {}

    void resolve(const std::string& host, addresses_handler done);

 private:
    struct lookup;

    boost::asio::any_io_executor executor_;
    duration limit_;
    /// Lookups by host, including those past their time limit: the system's resolver cannot be
    /// cancelled.
    std::map<std::string, std::weak_ptr<lookup>> running_;
};

}  // namespace tandem::command
