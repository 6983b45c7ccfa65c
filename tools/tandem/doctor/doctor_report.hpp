#pragma once

#include "doctor/doctor_advice.hpp"
#include "doctor/doctor_findings.hpp"
#include "probe/doctor_facts.hpp"

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

}  // namespace tandem::command
