#pragma once

#include "doctor/doctor_findings.hpp"

#include <vector>

// The findings by what they are about; each function adds its own. Pure.
namespace tandem::command {

/// Is a llama-server there that lets us in, with its model?
void check_contact(const doctor_facts& facts, std::vector<finding>& all);
/// What it says of itself. Precondition: facts.props.ok().
void check_set_up(const doctor_facts& facts, std::vector<finding>& all);
/// What was measured. Precondition: facts.measured.done.
void check_measures(const doctor_facts& facts, std::vector<finding>& all);

}  // namespace tandem::command
