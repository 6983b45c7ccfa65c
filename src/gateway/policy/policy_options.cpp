#include "gateway/policy/policy_options.hpp"

#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::gateway {
namespace {

constexpr duration shortest_check = std::chrono::milliseconds(1);
constexpr duration longest_check = std::chrono::minutes(1);

}  // namespace

std::vector<config_fault> check(const policy_options& o) {
    std::vector<config_fault> faults;
    if (o.url.empty()) return faults;
    if (auto fault = transport::url_fault(o.url))
        faults.push_back({"policy_url", *std::move(fault)});
    if (o.timeout < shortest_check || o.timeout > longest_check)
        faults.push_back(
            {"policy_timeout",
             fmt::format("is {}; it must be {} to {}", tandem::to_string(o.timeout),
                         tandem::to_string(shortest_check), tandem::to_string(longest_check))});
    return faults;
}

}  // namespace tandem::gateway
