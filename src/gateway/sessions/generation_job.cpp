#include "gateway/sessions/generation_job.hpp"

#include "gateway/answers/random_ids.hpp"
#include "gateway/json/json_scanner.hpp"
#include "gateway/json/raw_json.hpp"
#include "text/characters/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::gateway {

std::string make_affinity_key(const admitted& who, const generation_request& request) {
    if (request.affinity_key.empty()) return {};
    auto pin = who.key_name();
    pin += '\n';  // does not occur in key names
    return pin += request.affinity_key;
}

namespace {

/// The previous server of the conversation; empty if it is unknown.
std::string last_server(affinity_table& places, const std::string& pin, time_point now) {
    if (pin.empty()) return {};
    const auto* const place = places.find(now, pin);
    return place ? place->server : std::string();
}

}  // namespace

conversation open(affinity_table& places, const generation_job& order, time_point now) {
    auto talk = order.model->bots.create(order.setup, last_server(places, order.pin, now));
    if (order.setup.raw) talk.append({.role = "user", .content = order.prompt});
    return talk;
}

std::size_t bytes_of(const generation_job& order) {
    constexpr std::size_t copies = 3;
    auto bytes = order.prompt.size() + order.options.tools.size();
    for (const auto& m : order.setup.messages) {
        bytes += m.role.size() + m.content.size() + m.tool_call_id.size() + m.name.size();
        for (const auto& c : m.tool_calls)
            bytes += c.id.size() + c.name.size() + c.arguments.size();
    }
    return copies * bytes;
}

namespace {

/// Maximum length of a malformed call in an error message.
constexpr std::size_t max_told_bytes = 4096;

/// Whether `text` is an incomplete JSON object.
bool is_cut_object(std::string_view text) {
    if (!text.empty() && !text.starts_with('{')) return false;
    json_scanner scanner;
    return std::ranges::all_of(
        text, [&](char c) { return scanner.step(c) == json_scanner::result::going; });
}

}  // namespace

text_and_calls tool_call_extractor::finish(std::string_view reasoning) {
    if (!has_functions_) return {};
    auto read = noted(reader_.finish());
    if (!reader_.has_calls()) read_channel(reasoning, read);
    return read;
}

text_and_calls tool_call_extractor::noted(text_and_calls read) {
    if (fault_ == call_fault::none) fault_ = read.fault;
    // After a malformed call, further calls cannot be recognized reliably.
    const auto begin = broken_as_ == call_fault::none ? read.broken_at : 0;
    if (begin == std::string::npos) return read;
    take_broken(read.fault, std::string_view(read.text).substr(begin));
    read.text.resize(begin);
    return read;
}

void tool_call_extractor::take_broken(call_fault why, std::string_view text) {
    if (broken_as_ == call_fault::none) broken_as_ = why;
    if (broken_.empty())
        text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    // One byte over the limit marks the text as truncated.
    broken_ += text.substr(0, max_told_bytes + 1 - broken_.size());
}

bool tool_call_extractor::is_error_text_complete() const noexcept {
    return broken_.size() > max_told_bytes;
}

// gpt-oss writes calls to a channel of their own, which arrives as reasoning.
void tool_call_extractor::read_channel(std::string_view reasoning, text_and_calls& out) {
    const auto found = find_channel_call(reasoning);
    if (!found) return;
    reasoning_bytes_ = found->at;
    auto fault = parse_named_call(found->name, found->arguments, rules_.functions, out.calls);
    if (fault == call_fault::malformed && is_cut_object(found->arguments))
        fault = call_fault::cut_off;
    if (fault_ == call_fault::none) fault_ = fault;
    if (fault != call_fault::none) return take_broken(fault, reasoning.substr(found->at));
    out.calls.back().id = call_id(rules_.id_seed, 0);
}

std::optional<api_error> tool_call_extractor::error(finish_reason of_reply) const {
    if (broken_as_ == call_fault::none) return std::nullopt;
    if (broken_as_ == call_fault::cut_off && of_reply == finish_reason::length) return std::nullopt;
    const auto words = trim_json_space(broken_);
    const auto end = text::floor_to_character(words, std::min(words.size(), max_told_bytes));
    return api_error{
        .status = 502,
        .type = "server_error",
        .code = "malformed_tool_call",
        .message = fmt::format("the tool call of the model {}: {}{}", to_string(broken_as_),
                               words.substr(0, end), is_error_text_complete() ? "..." : "")};
}

void warn_of(const logger& log, call_fault fault, std::string_view model,
             std::string_view request_id) {
    if (fault == call_fault::none || !log.enabled(log_level::warning)) return;
    log.write(log_level::warning, fmt::format("request {}: the tool call of {} {}", request_id,
                                              model, to_string(fault)));
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
    places.put(now, pin,
               {result.servers.back(), std::make_shared<const conversation>(std::move(talk))},
               1024 + bytes + bytes_of_token * tokens);
}

}  // namespace tandem::gateway
