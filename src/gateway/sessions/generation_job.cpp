#include "gateway/sessions/generation_job.hpp"

#include "gateway/json/json_text.hpp"
#include "transport/server_url.hpp"

#include <utility>

namespace tandem::gateway {

std::string make_affinity_key(const admitted_request& who, const generation_request& request) {
    if (request.affinity_key.empty()) return {};
    auto pin = who.key_name();
    pin += '\n';  // does not occur in key names
    return pin += request.affinity_key;
}

conversation open_job_conversation(affinity_table& places, const generation_job& job,
                                   time_point now) {
    auto& bots = job.model->bots;
    const auto* const place = job.pin.empty() ? nullptr : places.find(now, job.pin);
    const bool has_talk = place && place->talk;
    auto talk = has_talk ? bots.create(job.setup, *place->talk)
                         : bots.create(job.setup, place ? place->server : std::string());
    if (job.setup.raw) talk.append({.role = "user", .content = job.prompt});
    return talk;
}

std::size_t count_text_bytes(const std::vector<chat_message>& messages) {
    std::size_t bytes = 0;
    for (const auto& m : messages) {
        bytes += m.role.size() + m.content.size() + m.tool_call_id.size() + m.name.size();
        for (const auto& c : m.tool_calls)
            bytes += c.id.size() + c.name.size() + c.arguments.size();
    }
    return bytes;
}

std::size_t estimate_message_bytes(const std::vector<chat_message>& messages) {
    auto bytes = count_text_bytes(messages) + messages.size() * sizeof(chat_message);
    for (const auto& m : messages) bytes += m.tool_calls.size() * sizeof(tool_call);
    return bytes;
}

std::size_t estimate_job_bytes(const generation_job& job) {
    constexpr std::size_t copies = 3;
    return copies * (job.prompt.size() + job.options.tools.size() +
                     estimate_message_bytes(job.setup.messages));
}

std::optional<conversation_place> make_conversation_place(conversation talk,
                                                          const reply_result& result) {
    if (result.servers.empty() || result.usage.prompt == 0 ||
        result.finish_reason == finish_reason::error)
        return std::nullopt;
    return conversation_place{transport::without_credentials(result.servers.back()),
                              std::make_shared<const conversation>(std::move(talk))};
}

std::size_t estimate_place_bytes(std::size_t bytes, const reply_result& result) {
    // Covers the token ids in the slot, and the text of the reply.
    constexpr int bytes_of_token = 8;
    const auto tokens = static_cast<std::size_t>(result.usage.prompt) +
                        static_cast<std::size_t>(result.usage.generated);
    return 1024 + bytes + bytes_of_token * tokens;
}

api_error make_reply_error(const reply_result& result) {
    constexpr std::size_t max_shown_bytes = 4096;
    auto error = to_api_error(result.error, result.diagnostics);
    if (result.error != errc::invalid_tool_call) return error;
    error.message += ": " + truncate_text(result.unspoken_text, max_shown_bytes, "...");
    return error;
}

}  // namespace tandem::gateway
