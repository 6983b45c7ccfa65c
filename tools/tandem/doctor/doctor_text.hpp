#pragma once

#include "doctor/doctor_report.hpp"

#include <string>

namespace tandem::command {

struct screen_style {
    int width = 80;
    bool color = false;
};

/// Returns the text report of `tandem doctor` as complete lines.
std::string format_doctor_report(const screen_style& style, const doctor_report& report);

}  // namespace tandem::command
