#include "cluster_status/cluster_command_flags.hpp"

#include "flags/flag_parsing.hpp"
#include "transport/server_url.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::command {
namespace {

constexpr const char* cluster_text = R"(Example:
  tandem cluster --cluster redis://valkey:6379

Shows the gateways of a cluster with the number of their voice sessions, which
gateway has which slot of each server, which gateways wait for a slot, and which
servers are drained.

Usage: tandem cluster [FLAG...] [ACTION [SERVER]]

  status           all of that (default)
  slots            the slots only
  queue            the gateways that wait only
  sessions         each voice session: the start of its id, which is a secret,
                   its gateway, the size of its record, and when it was written
  drain SERVER     stops new turns on this server at all gateways
  undrain SERVER   ends that

The password of the store is in the variable TANDEM_CLUSTER_PASSWORD.

drain and undrain name the gateways that act on it, within a second.

Exit status: 0 done, 1 the store cannot be used or no gateway serves the server,
2 wrong use.)";

}  // namespace

cluster_command_flags::cluster_command_flags(CLI::App& tandem)
    : flags_(tandem, name, cluster_text, "show what gateways share, drain servers") {
    store_.add_to(flags_.app(), false);
    flags_.begin_group("cluster");
    flags_.add_argument("ACTION", action_,
                        "status, slots, queue, sessions, drain or undrain [status]");
    flags_.add_argument("SERVER", server_, "URL of the server to drain or undrain");
    flags_.add_switch("--json", json_, "print one JSON object");
    flags_.begin_group("help");
    flags_.add_help_flag();
}

cluster_command_options cluster_command_flags::read(const environment& variables,
                                                    std::vector<std::string>& faults) {
    cluster_command_options o{.json = json_};
    faults = describe_unparsed_arguments(flags_.app());
    if (faults.empty()) read_action(o, faults);
    auto cluster = store_.read(variables, faults);
    if (cluster)
        o.cluster = *std::move(cluster);
    else if (faults.empty())
        faults.emplace_back("--cluster is missing; it is the URL that the gateways use");
    return o;
}

void cluster_command_flags::read_action(cluster_command_options& o,
                                        std::vector<std::string>& faults) const {
    const auto action = read_choice("ACTION", cluster_actions, action_, faults);
    if (!action) return;
    if (!action_.ends_with("drain")) {
        o.part = static_cast<cluster_view_part>(*action);
        if (!server_.empty()) faults.push_back(server_ + " is an unexpected argument");
        return;
    }
    if (server_.empty())
        return faults.push_back(
            fmt::format("SERVER is missing; give the URL of the server to {}", action_));
    auto parsed = transport::parse_server_url(server_);
    if (parsed.fault) faults.push_back("SERVER: " + *parsed.fault);
    o.server = std::move(parsed.url.identity);
    o.is_drained = action_ == "drain";
}

}  // namespace tandem::command
