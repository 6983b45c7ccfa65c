#include "http/endpoints.hpp"

#include "answers/chat_completion.hpp"
#include "answers/chat_messages.hpp"
#include "answers/chat_template.hpp"
#include "answers/completion_request.hpp"
#include "answers/json_text.hpp"
#include "answers/tool_template.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <variant>

namespace tandem::mock {
namespace {

using nlohmann::ordered_json;

http_reply ok(const ordered_json& body) {
    return {200, json_text(body)};
}

ordered_json default_settings() {
    const completion_request defaults;
    return {{"n_predict", defaults.n_predict},
            {"temperature", defaults.temperature},
            {"top_k", defaults.top_k},
            {"top_p", defaults.top_p},
            {"seed", defaults.seed}};
}

// Fields in /slots that exist only after the slot was used.
void add_task(ordered_json& out, const slot& s, const task* t) {
    const auto held = static_cast<int>(s.tokens.size());
    const int n_predict = t ? t->request.n_predict : -1;
    const int decoded = t ? t->counts.predicted : 0;
    out["id_task"] = *s.last_task;
    out["n_prompt_tokens"] = held;
    out["n_prompt_tokens_processed"] = t ? t->counts.processed - t->counts.cached : 0;
    out["n_prompt_tokens_cache"] = t ? t->counts.cached : 0;
    out["params"] = default_settings();
    out["next_token"] =
        ordered_json::array({{{"has_next_token", t != nullptr},
                              {"has_new_line", t && t->output->has_new_line()},
                              {"n_remain", n_predict < 0 ? -1 : n_predict - decoded},
                              {"n_decoded", decoded}}});
}

ordered_json describe(const slot& s, const engine& e) {
    ordered_json out{{"id", s.id},
                     {"n_ctx", e.context_size()},
                     {"speculative", false},
                     {"is_processing", s.is_processing()}};
    if (s.last_task) add_task(out, s, e.find_running_task(s));
    return out;
}

// A piece that is not text is returned as its bytes.
ordered_json describe_piece(token_id id) {
    const std::string piece = get_token_bytes(id);
    const bool is_text = id < 128 || id > 255;
    if (is_text) return {{"id", id}, {"piece", piece}};
    return {{"id", id}, {"piece", ordered_json::array({static_cast<unsigned char>(piece[0])})}};
}

std::string template_source(const options& o) {
    if (!o.has_chat_template) return {};
    return o.tool_template ? tool_template_source() : chat_template_source();
}

}  // namespace

http_reply make_error_reply(const api_error& e) {
    return {e.status, to_json(e)};
}

http_reply health() {
    return ok({{"status", "ok"}});
}

http_reply models(const options& o, const engine& e) {
    const ordered_json meta{{"vocab_type", 2},
                            {"n_vocab", vocabulary_size()},
                            {"n_ctx", e.context_size()},
                            {"n_ctx_train", o.ctx_size}};
    return ok({{"object", "list"},
               {"data", ordered_json::array({{{"id", o.model},
                                              {"object", "model"},
                                              {"created", 0},
                                              {"owned_by", "llamacpp"},
                                              {"meta", meta}}})}});
}

http_reply props(const options& o, const engine& e) {
    return ok({{"default_generation_settings",
                {{"params", default_settings()}, {"n_ctx", e.context_size()}}},
               {"total_slots", o.parallel},
               {"model_alias", o.model},
               {"model_path", o.model + ".gguf"},
               {"modalities", {{"vision", false}, {"audio", false}}},
               {"endpoint_slots", o.slots_endpoint},
               {"endpoint_props", false},
               {"endpoint_metrics", false},
               {"chat_template", template_source(o)},
               {"chat_template_caps", ordered_json::object()},
               {"bos_token", get_token_bytes(bos_token)},
               {"eos_token", get_token_bytes(eos_token)},
               {"build_info", o.build_info},
               {"is_sleeping", false}});
}

http_reply slots(const engine& e, bool fail_on_no_slot) {
    const auto& all = e.slots();
    const bool idle =
        std::any_of(all.begin(), all.end(), [](const slot& s) { return !s.is_processing(); });
    if (fail_on_no_slot && !idle) return make_error_reply(make_error(503, "no slot available"));
    ordered_json out = ordered_json::array();
    for (const slot& s : all) out.push_back(describe(s, e));
    return ok(out);
}

http_reply tokenize(const std::string& text, const options& o) {
    const auto body = nlohmann::json::parse(text);
    std::vector<token_id> tokens;
    if (body.contains("content")) {
        tokens = tokenize_content(body["content"], o.add_bos && body.value("add_special", false),
                                  body.value("parse_special", true));
    }
    if (!body.value("with_pieces", false)) return ok({{"tokens", tokens}});
    ordered_json pieces = ordered_json::array();
    for (token_id id : tokens) pieces.push_back(describe_piece(id));
    return ok({{"tokens", pieces}});
}

http_reply detokenize(const std::string& text) {
    const auto body = nlohmann::json::parse(text);
    std::string content;
    if (body.contains("tokens"))
        content = detokenize_text(tokenize_content(body["tokens"], false, true));
    return ok({{"content", content}});
}

http_reply apply_template(const std::string& text, const options& o) {
    if (!o.has_chat_template)
        return make_error_reply(make_error(501, "This server does not support chat templates."));
    const auto messages = parse_messages(text);
    if (const auto* error = std::get_if<api_error>(&messages)) return make_error_reply(*error);
    try {
        return ok({{"prompt", render_chat(std::get<0>(messages), text, o)}});
    } catch (const std::exception& e) {
        return make_error_reply(make_error(500, e.what()));
    }
}

}  // namespace tandem::mock
