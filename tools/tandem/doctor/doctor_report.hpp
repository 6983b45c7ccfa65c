#pragma once

#include "doctor/doctor_advice.hpp"
#include "doctor/doctor_findings.hpp"
#include "probe/doctor_facts.hpp"

#include <vector>

namespace tandem::command {

/// All that `tandem doctor` tells.
struct doctor_report {
    doctor_facts facts;
    std::vector<finding> findings;
    doctor_advice advice;

    /// Whether a bot would work.
    bool good() const { return facts.props.ok() && !any_bad(findings); }
};

inline doctor_report report_of(doctor_facts facts) {
    auto findings = findings_of(facts);
    auto advice = advice_of(facts);
    return {std::move(facts), std::move(findings), std::move(advice)};
}

}  // namespace tandem::command
