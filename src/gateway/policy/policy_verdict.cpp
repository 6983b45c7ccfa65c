#include "gateway/policy/policy_verdict.hpp"

#include "gateway/json/json_text.hpp"
#include "gateway/json/raw_json.hpp"
#include "text/characters/utf8.hpp"
#include "wire/json/json_bounds.hpp"
#include "wire/stream/server_words.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;
using verdict_result = policy_verdict::result;

constexpr wire::json_limits verdict_limits{.depth = 32, .values = 10'000, .keys = 1'000};
constexpr std::size_t max_reason_bytes = 512;

policy_verdict failed(std::string why) {
    return {verdict_result::failed, std::move(why)};
}

// Somebody else's words, on their way to a client.
std::string reason_of(const json& verdict) {
    const auto found = verdict.find("reason");
    if (found == verdict.end() || !found->is_string()) return {};
    const auto words = wire::server_words(found->get_ref<const std::string&>());
    const auto reason = trimmed(words);
    if (reason.size() <= max_reason_bytes) return std::string(reason);
    return std::string(reason.substr(0, text::floor_to_character(reason, max_reason_bytes))) +
           "...";
}

api_error refused_prompt(const std::string& reason) {
    return {.status = 400,
            .type = "invalid_request_error",
            .code = "content_policy",
            .message = reason.empty() ? "the prompt is not allowed here"
                                      : "the prompt is not allowed here: " + reason};
}

api_error policy_unavailable() {
    return {.status = 503,
            .code = "policy_unavailable",
            .message = "whether the prompt is allowed cannot be told now; try again in a moment",
            .retry_after = std::chrono::seconds(1)};
}

}  // namespace

std::string question_body(const policy_question& q) {
    auto texts = json::array();
    for (const auto& text : q.texts) texts.push_back(text);
    return dumped({{"request_id", q.request_id},
                   {"key", q.key},
                   {"model", q.model},
                   {"route", q.route},
                   {"texts", std::move(texts)}});
}

const char* to_string(policy_verdict::result r) noexcept {
    switch (r) {
        case verdict_result::allowed:
            return "allowed";
        case verdict_result::refused:
            return "refused";
        case verdict_result::failed:
            return "failed";
    }
    return "";
}

policy_verdict read_verdict(int http_status, std::string_view body) {
    if (http_status != 200) return failed(fmt::format("it answered with status {}", http_status));
    if (body.size() > max_verdict_bytes)
        return failed(fmt::format("it answered more than {} KiB", max_verdict_bytes >> 10));
    if (const auto fault = wire::json_fault_words(body, verdict_limits); !fault.empty())
        return failed("its answer " + fault);
    const auto verdict = json::parse(body, nullptr, false);
    if (!verdict.is_object()) return failed("its answer is no JSON object");
    const auto allowed = verdict.find("allowed");
    if (allowed == verdict.end() || !allowed->is_boolean())
        return failed(R"(its answer has no "allowed" that is true or false)");
    if (allowed->get<bool>()) return {verdict_result::allowed, {}};
    return {verdict_result::refused, reason_of(verdict)};
}

std::optional<api_error> error_of(const policy_verdict& v, on_policy_failure on_failure) {
    if (v.what == verdict_result::refused) return refused_prompt(v.words);
    if (v.what == verdict_result::failed && on_failure == on_policy_failure::refuse)
        return policy_unavailable();
    return std::nullopt;
}

}  // namespace tandem::gateway
