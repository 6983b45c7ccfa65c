#include "cluster_status/cluster_command_flags.hpp"

#include <utility>

namespace tandem::command {
namespace {

constexpr const char* cluster_text = R"(Example:
  tandem cluster --cluster redis://valkey:6379

Shows the gateways of a cluster with the number of their voice sessions, which
gateway has which slot of each server, which gateways wait for a slot, and which
servers are drained.

Usage: tandem cluster [FLAG...]

The password of the store is in the variable TANDEM_CLUSTER_PASSWORD.

Exit status: 0 shown, 1 the store cannot be read, 2 wrong use.)";

}  // namespace

cluster_command_flags::cluster_command_flags(CLI::App& tandem)
    : flags_(tandem, name, cluster_text, "show which gateway has which slot") {
    store_.add_to(flags_.app(), false);
    flags_.begin_group("cluster");
    flags_.add_switch("--json", json_, "print one JSON object");
    flags_.begin_group("help");
    flags_.add_help_flag();
}

cluster_command_options cluster_command_flags::read(const environment& variables,
                                                    std::vector<std::string>& faults) {
    faults = argument_faults(flags_.app());
    auto cluster = store_.read(variables, faults);
    if (!cluster && faults.empty())
        faults.emplace_back("--cluster is missing; it is the URL that the gateways use");
    return {.cluster = std::move(cluster).value_or(cluster::cluster_options{}), .json = json_};
}

}  // namespace tandem::command
