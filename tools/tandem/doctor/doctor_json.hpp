#pragma once

#include "doctor/doctor_report.hpp"

#include <string>

namespace tandem::command {

/// The report as one JSON object in one line; docs/doctor.md has its fields.
std::string doctor_json(const doctor_report& report);

}  // namespace tandem::command
