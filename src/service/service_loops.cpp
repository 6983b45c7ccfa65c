#include "service/service_loops.hpp"

namespace tandem::detail {

service_loops::service_loops(const std::vector<boost::asio::any_io_executor>& executors,
                             const service_config& c) {
    const auto bonds = std::make_shared<service_bonds>(c);
    for (const auto& executor : executors) {
        cores_.push_back(service_core::make(executor, c, bonds));
        bonds->loops.lock()->push_back(cores_.back());
    }
    for (const auto& core : cores_) core->begin();
}

service_loops::~service_loops() {
    for (auto& core : cores_) {
        const auto& home = core->home();
        home.dispatch([owned = std::move(core)] { owned->home().close(); });
    }
}

}  // namespace tandem::detail
