#pragma once

#include "doctor/doctor_report.hpp"

#include <string>

namespace tandem::command {

/// Returns the report as one JSON object on one line; docs/doctor.md describes its fields.
std::string doctor_json(const doctor_report& report);

}  // namespace tandem::command
