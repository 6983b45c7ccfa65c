#include "cluster_status/cluster_command.hpp"

#include "cluster_status/cluster_view.hpp"
#include "cluster_status/store_client.hpp"
#include "os/exit_status.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tandem::command {
namespace {

constexpr std::string_view store_remedy =
    "; check --cluster, TANDEM_CLUSTER_PASSWORD, and that the store runs";

std::string show(store_client& store, const cluster_command_options& o) {
    const auto view = store.read_view(o.part);
    return o.json ? format_json(view, o.part) : format_text(view, o.part);
}

std::string drain(store_client& store, const cluster_command_options& o) {
    const auto result = store.set_server_drained(o.server, o.is_drained);
    return o.json ? format_json(result) : format_text(result);
}

}  // namespace

int run_cluster(const cluster_command_options& options) {
    terminal t;
    store_client store(options.cluster, "tandem-cluster");
    const bool is_connected = store.fault().empty();
    const auto text = options.server.empty() ? show(store, options) : drain(store, options);
    if (!store.fault().empty()) {
        t.print_error(
            fmt::format("tandem cluster: {}{}", store.fault(), is_connected ? "" : store_remedy));
        return not_all_good;
    }
    t.print(text);
    print_output_failure(t, "tandem cluster");
    return lost_output_exit_status(t).value_or(all_good);
}

}  // namespace tandem::command
