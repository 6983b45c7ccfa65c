#pragma once

#include "gateway/http/answer_client.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/generation_job.hpp"

#include <string>
#include <string_view>

// The trace of a request for a reply; without traces, these functions do nothing.
namespace tandem::gateway {

void begin_trace(answer_client& client, gateway_core& core, time_point began);
/// Adds the trace to the requests to servers, and the prompt to the trace.
void propagate_trace(answer_client& client, const gateway_core& core, generation_job& job);
/// Call when the answer has ended and its record is complete.
void end_trace(answer_client& client, gateway_core& core, const std::string& request_id,
               std::string_view route);

}  // namespace tandem::gateway
