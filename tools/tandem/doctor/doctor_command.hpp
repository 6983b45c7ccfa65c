#pragma once

#include "cluster/cluster_options.hpp"
#include "terminal/color.hpp"

#include "tandem/config.hpp"

#include <chrono>
#include <optional>

namespace tandem::command {

struct doctor_options {
    config settings{};
    /// How long to wait for a model that is loading.
    duration wait = std::chrono::seconds(30);
    /// Query the server, but measure nothing.
    bool quick = false;
    bool json = false;
    /// Also check the store of these gateways.
    std::optional<cluster::cluster_options> cluster{};
    color_choice color = color_choice::automatic;
};

/// Runs `tandem doctor`; returns the exit status.
int run_doctor(const doctor_options& options);

}  // namespace tandem::command
