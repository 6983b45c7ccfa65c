#pragma once

#include "gateway/adapters/adapter_jobs.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/json/api_error.hpp"

#include <string>
#include <string_view>

// Response bodies of /admin/adapters and /admin/jobs.
namespace tandem::gateway {

std::string adapter_list_body(const adapter_set& adapters);
/// Body of the 202 response to POST …/load: `{"job": "…"}`.
std::string job_accepted_body(const adapter_job& job);
std::string job_body(const adapter_job& job);
api_error make_job_not_found_error(std::string_view id);

}  // namespace tandem::gateway
