#include "cluster_status/cluster_command.hpp"

#include "cluster_status/cluster_view.hpp"
#include "cluster_status/store_reader.hpp"
#include "os/exit_status.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

int run_cluster(const cluster_command_options& options) {
    terminal t;
    store_reader reader(options.cluster, "tandem-cluster");
    const auto view = reader.read_view();
    if (!reader.fault().empty()) {
        t.print_error("tandem cluster: " + reader.fault());
        return not_all_good;
    }
    t.print(options.json ? format_json(view) : format_text(view));
    return t.failure().empty() ? all_good : not_all_good;
}

}  // namespace tandem::command
