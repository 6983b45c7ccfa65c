#include "gateway/gateway_options.hpp"

#include "gateway/network_address.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::gateway {

std::vector<config_fault> check(const gateway_options& o) {
    auto faults = check(o.service);
    for (auto& f : check(o.prompts)) faults.push_back(std::move(f));
    for (auto& f : check(o.voice)) faults.push_back(std::move(f));
    if (!may_bind(o.address, !o.keys.is_empty()))
        faults.push_back({"address", fmt::format("is {}, where others reach the gateway: give it "
                                                 "keys, or let it listen on 127.0.0.1",
                                                 o.address)});
    if (o.max_connections == 0) faults.push_back({"max_connections", "is 0; at least 1"});
    return faults;
}

}  // namespace tandem::gateway
