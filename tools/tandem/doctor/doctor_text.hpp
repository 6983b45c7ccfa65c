#pragma once

#include "doctor/doctor_report.hpp"

#include <string>

namespace tandem::command {

struct screen_style {
    int width = 80;
    bool color = false;
};

/// The screen of `tandem doctor`, in whole lines.
std::string doctor_screen(const screen_style& style, const doctor_report& report);

}  // namespace tandem::command
