#include "gateway/sessions/generation_job.hpp"

#include "gateway/json/json_text.hpp"

#include <utility>

namespace tandem::gateway {

std::string make_affinity_key(const admitted& who, const generation_request& request) {
    if (request.affinity_key.empty()) return {};
    auto pin = who.key_name();
    pin += '\n';  // does not occur in key names
    return pin += request.affinity_key;
}

conversation open(affinity_table& places, const generation_job& job, time_point now) {
    auto& bots = job.model->bots;
    const auto* const place = job.pin.empty() ? nullptr : places.find(now, job.pin);
    auto talk = place ? bots.create(job.setup, **place) : bots.create(job.setup);
    if (job.setup.raw) talk.append({.role = "user", .content = job.prompt});
    return talk;
}

std::size_t bytes_of(const generation_job& job) {
    constexpr std::size_t copies = 3;
    auto bytes = job.prompt.size() + job.options.tools.size();
    for (const auto& m : job.setup.messages) {
        bytes += m.role.size() + m.content.size() + m.tool_call_id.size() + m.name.size();
        for (const auto& c : m.tool_calls)
            bytes += c.id.size() + c.name.size() + c.arguments.size();
    }
    return copies * bytes;
}

void remember_affinity(affinity_table& places, const std::string& pin, conversation talk,
                       std::size_t bytes, const reply_result& result, time_point now) {
    if (pin.empty() || result.servers.empty() || result.usage.prompt == 0 ||
        result.finish_reason == finish_reason::error)
        return;
    // The token ids in the slot, and the text of the reply.
    constexpr int bytes_of_token = 8;
    const auto tokens = static_cast<std::size_t>(result.usage.prompt) +
                        static_cast<std::size_t>(result.usage.generated);
    places.put(now, pin, std::make_shared<const conversation>(std::move(talk)),
               1024 + bytes + bytes_of_token * tokens);
}

api_error make_reply_error(const reply_result& result) {
    constexpr std::size_t max_shown_bytes = 4096;
    auto error = to_api_error(result.error, result.diagnostics);
    if (result.error != errc::invalid_tool_call) return error;
    error.message += ": " + truncate_text(result.unspoken_text, max_shown_bytes, "...");
    return error;
}

}  // namespace tandem::gateway
