#include "gateway/server/request_trace.hpp"

#include "loop/clock.hpp"

#include <utility>

namespace tandem::gateway {

void begin_trace(answer_client& client, gateway_core& core, time_point began) {
    client.trace = core.begin_trace(client.traceparent(), began);
}

void propagate_trace(answer_client& client, const gateway_core& core, generation_job& job) {
    job.options.traceparent = client.onward_traceparent();
    if (!client.trace || !core.options.traces.texts) return;
    add_input_messages(*client.trace, job.setup.messages);
    if (job.setup.raw) add_input_messages(*client.trace, {{.role = "user", .content = job.prompt}});
}

void end_trace(answer_client& client, gateway_core& core, const std::string& request_id,
               std::string_view route) {
    if (!client.trace) return;
    auto& turn = *client.trace;
    turn.route = route;
    turn.name = turn.method.empty() ? "response turn" : turn.method + " " + turn.route;
    turn.request_id = request_id;
    turn.model = client.record.model;
    turn.error = client.record.error;
    core.end_trace(std::move(turn), detail::now());
}

}  // namespace tandem::gateway
