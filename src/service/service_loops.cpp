#include "service/service_loops.hpp"

namespace tandem::detail {

service_loops::service_loops(const std::vector<boost::asio::any_io_executor>& executors,
                             const service_config& c) {
    const auto bonds = std::make_shared<service_bonds>(c);
    for (const auto& executor : executors) {
        cores_.push_back(service_core::make(executor, c, bonds));
        bonds->loops.push_back(cores_.back());
    }
    for (const auto& core : cores_) core->begin();
}

void service_loops::close() const {
    for (const auto& core : cores_) core->home().dispatch([core] { core->home().close(); });
}

}  // namespace tandem::detail
