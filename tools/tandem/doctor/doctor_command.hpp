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
    /// Whether to query the server only, and measure nothing.
    bool quick = false;
    bool json = false;
    /// If set, also checks the store of this cluster.
    std::optional<cluster::cluster_options> cluster{};
    color_choice color = color_choice::automatic;
};

/// Runs `tandem doctor`; returns the exit status.
int run_doctor(const doctor_options& options);

}  // namespace tandem::command
