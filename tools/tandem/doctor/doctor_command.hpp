#pragma once

#include "terminal/color.hpp"

#include "tandem/config.hpp"

#include <chrono>

namespace tandem::command {

/// What `tandem doctor` was asked for.
struct doctor_options {
    config settings{};
    /// How long a model that loads is waited for.
    duration wait = std::chrono::seconds(30);
    /// Ask only; measure nothing.
    bool quick = false;
    bool json = false;
    color_choice color = color_choice::automatic;
};

/// Carries out `tandem doctor`; returns the exit status.
int run_doctor(const doctor_options& options);

}  // namespace tandem::command
