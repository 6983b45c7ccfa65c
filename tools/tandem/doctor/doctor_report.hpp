#pragma once

#include "doctor/doctor_advice.hpp"
#include "doctor/doctor_findings.hpp"
#include "probe/doctor_facts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tandem::command {

/// The complete report of `tandem doctor`.
struct doctor_report {
    doctor_facts facts;
    std::vector<finding> findings;
    doctor_advice advice;

    /// Returns true if a bot would work.
    bool is_usable() const { return facts.props.ok() && !has_bad_finding(findings); }
};

inline doctor_report make_doctor_report(doctor_facts facts) {
    auto findings = collect_findings(facts);
    auto advice = make_advice(facts);
    return {std::move(facts), std::move(findings), std::move(advice)};
}

struct screen_style {
    int width = 80;
    bool color = false;
};

/// Returns the text report of `tandem doctor` as complete lines.
std::string format_doctor_report(const screen_style& style, const doctor_report& report);

/// Returns the report as one JSON object on one line; docs/doctor.md describes its fields.
std::string doctor_json(const doctor_report& report);

}  // namespace tandem::command
