#include "cluster_status/cluster_command.hpp"

#include "cluster_status/cluster_view.hpp"
#include "cluster_status/store_client.hpp"
#include "os/exit_status.hpp"
#include "terminal/terminal.hpp"
#include "text/json_object.hpp"

#include <fmt/format.h>

#include <string>

namespace tandem::command {
namespace {

std::string show(store_client& store, const cluster_command_options& o) {
    const auto view = store.read_view(o.part);
    return o.json ? format_json(view, o.part) : format_text(view, o.part);
}

std::string drain(store_client& store, const cluster_command_options& o) {
    store.drain(o.server, o.is_drained);
    if (o.json) return json_object{}.field("name", o.server).field("drained", o.is_drained).line();
    return fmt::format("server {}, {}\n", o.server, o.is_drained ? "drained" : "not drained");
}

}  // namespace

int run_cluster(const cluster_command_options& options) {
    terminal t;
    store_client store(options.cluster, "tandem-cluster");
    const auto text = options.server.empty() ? show(store, options) : drain(store, options);
    if (!store.fault().empty()) {
        t.print_error("tandem cluster: " + store.fault());
        return not_all_good;
    }
    t.print(text);
    return t.failure().empty() ? all_good : not_all_good;
}

}  // namespace tandem::command
