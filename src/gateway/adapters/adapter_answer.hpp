#pragma once

#include "gateway/adapters/adapter_jobs.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/json/api_error.hpp"

#include <string>
#include <string_view>

// Bodies of answers to /admin/adapters and /admin/jobs.
namespace tandem::gateway {

std::string adapter_list_body(const adapter_set& adapters);
/// What POST …/load answers with 202: `{"job": "…"}`.
std::string accepted_body(const adapter_job& job);
std::string job_body(const adapter_job& job);
api_error unknown_job(std::string_view id);

}  // namespace tandem::gateway
