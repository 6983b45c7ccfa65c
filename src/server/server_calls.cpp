#include "server/server_calls.hpp"

#include "wire/calls/prompt_check.hpp"

#include <algorithm>
#include <utility>

namespace tandem::server {
namespace {

// A server answers /health within a few milliseconds, even while generating. The limit allows for a
// machine that swaps.
constexpr duration health_timeout = std::chrono::seconds(2);

template <class Result>
server_calls::handler<Result> without_result(server_calls::handler<> done) {
    return [done = std::move(done)](error_code ec, const diagnostics& diag, const Result&) {
        done(ec, diag);
    };
}

}  // namespace

// Handles every answer: passes on the transport error or the result of the decoder.
template <class... Results, class Decode>
call_id server_calls::call(transport::http_request request, Decode decode, handler<Results...> done,
                           std::optional<duration> limit) {
    auto read = [decode, done = std::move(done)](http_response a) {
        const auto tell = [&](auto... results) {
            if (!a.ec)
                a.ec = decode(wire::response_view{a.http_status, a.body}, results..., a.diag);
            done(a.ec, a.diag, std::move(results)...);
        };
        tell(Results{}...);
    };
    return runner_.run(std::move(request), std::move(read), limit);
}

template <class Handler>
bool server_calls::reject_invalid(const std::optional<failure>& bad, const Handler& done) {
    if (bad) done(bad->ec, bad->diag, {});
    return bad.has_value();
}

call_id server_calls::props(handler<server_props> done) {
    return call({.method = "GET", .path = "/props"}, wire::decode_props, std::move(done));
}

call_id server_calls::slots(handler<std::vector<slot_state>> done) {
    return call({.method = "GET", .path = "/slots"}, wire::decode_slots, std::move(done));
}

call_id server_calls::health(handler<> done) {
    return call({.method = "GET", .path = "/health"}, wire::decode_health, std::move(done),
                std::min(health_timeout, timeout_));
}

call_id server_calls::verify_server_and_key(handler<> done) {
    return call({.method = "GET", .path = "/props"}, wire::decode_props,
                without_result<server_props>(std::move(done)), std::min(health_timeout, timeout_));
}

call_id server_calls::tokenize(std::string_view text, handler<std::vector<std::int32_t>> done) {
    return tokenize_prompt_rest(text, false, std::move(done));
}

call_id server_calls::tokenize_prompt_rest(std::string_view text, bool follows_ids,
                                           handler<std::vector<std::int32_t>> done) {
    if (reject_invalid(wire::check_request_text("the text", text), done)) return no_call;
    return tokenize_body(
        follows_ids ? wire::tokenize_continuation_body(text) : wire::tokenize_body(text),
        std::move(done));
}

call_id server_calls::tokenize_pieces(const std::vector<std::string>& texts, std::int32_t separator,
                                      bool parse_special, handler<std::vector<std::int32_t>> done) {
    return tokenize_body(wire::tokenize_pieces_body(texts, separator, parse_special),
                         std::move(done));
}

call_id server_calls::tokenize_body(std::string body, handler<std::vector<std::int32_t>> done) {
    return call({.path = "/tokenize", .body = std::move(body)}, wire::decode_tokens,
                std::move(done));
}

call_id server_calls::detokenize(std::span<const std::int32_t> ids, handler<std::string> done) {
    return call({.path = "/detokenize", .body = wire::detokenize_body(ids)},
                wire::decode_detokenized_text, std::move(done));
}

call_id server_calls::apply_template(const std::vector<chat_message>& messages,
                                     const generation_options& o, handler<std::string> done) {
    if (reject_invalid(wire::check_messages(messages), done)) return no_call;
    const bool hides_tools = o.tool_choice == "none";
    return call({.path = "/apply-template",
                 .body = wire::apply_template_body(messages, hides_tools ? "" : o.tools,
                                                   o.template_options)},
                wire::decode_rendered_prompt, std::move(done));
}

call_id server_calls::parse_reply(const wire::reply_to_parse& r, const generation_options& o,
                                  duration limit, handler<wire::parsed_reply> done) {
    return call({.path = "/v1/chat/completions", .body = wire::parse_reply_body(r, o)},
                wire::decode_parsed_reply, std::move(done), limit);
}

call_id server_calls::force_call(const wire::begun_call& c, const generation_options& o,
                                 duration limit, handler<wire::parsed_reply> done) {
    return call({.path = "/v1/chat/completions", .body = wire::forced_call_body(c, o)},
                wire::decode_forced_reply, std::move(done), limit);
}

call_id server_calls::erase_slot(int slot, handler<> done) {
    // The body is an empty JSON object because old servers reject a POST without a body.
    return call({.path = wire::slot_erase_path(slot), .body = "{}"}, wire::decode_slot_erased,
                without_result<int>(std::move(done)));
}

call_id server_calls::adapters(handler<std::vector<server_adapter>> done) {
    return call({.method = "GET", .path = "/lora-adapters"}, wire::decode_adapters,
                std::move(done));
}

call_id server_calls::set_adapters(std::span<const adapter_scale> adapters, handler<> done) {
    return call({.path = "/lora-adapters", .body = wire::encode_adapter_list(adapters)},
                wire::decode_set_adapters_answer, std::move(done));
}

call_id server_calls::save_slot(int slot, std::string_view file, handler<slot_file_result> done) {
    if (reject_invalid(wire::check_slot_file_name(file), done)) return no_call;
    return call({.path = wire::slot_save_path(slot), .body = wire::slot_file_body(file)},
                wire::decode_slot_saved, std::move(done));
}

call_id server_calls::restore_slot(int slot, std::string_view file,
                                   handler<slot_file_result> done) {
    if (reject_invalid(wire::check_slot_file_name(file), done)) return no_call;
    return call({.path = wire::slot_restore_path(slot), .body = wire::slot_file_body(file)},
                wire::decode_slot_restored, std::move(done));
}

}  // namespace tandem::server
