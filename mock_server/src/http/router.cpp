#include "http/router.hpp"

#include "answers/chat_completion.hpp"
#include "http/endpoints.hpp"
#include "http/slot_action.hpp"

#include <utility>

namespace tandem::mock {
namespace {

constexpr std::size_t max_recorded_body = 1 << 20;

std::string header_of(const http_request& r, std::string_view name) {
    for (const auto& [key, value] : r.headers) {
        if (key == name) return value;
    }
    return {};
}

// Parses the body of a completion into a request or an error. Returns nullopt for other paths.
std::optional<std::variant<completion_request, api_error>> parse_completion(const http_request& r,
                                                                            const options& o) {
    if (r.method != "POST") return std::nullopt;
    if (r.path == "/completion" || r.path == "/completions")
        return parse_completion_request(r.body, o.add_bos);
    if (r.path == "/v1/chat/completions") return parse_chat_completion(r.body, o);
    return std::nullopt;
}

request_record record_of(const http_request& r, std::uint64_t connection, time_point now) {
    request_record record;
    record.connection = connection;
    record.method = r.method;
    record.path = r.path;
    record.headers = r.headers;
    record.body = r.body.substr(0, max_recorded_body);
    record.arrived = now;
    return record;
}

void note(request_record& record, const completion_request& r) {
    record.id_slot = r.id_slot;
    record.prompt_as_ids = r.prompt_as_ids;
    record.prompt = text_after_bos(r.prompt);
}

// The response that the fault sends instead of the server's own response, if any.
std::optional<http_reply> instead(const fault& f, bool for_completion) {
    if (f.kind == fault_kind::unavailable)
        return make_error_reply(make_error(503, "Loading model"));
    const bool error =
        f.kind == fault_kind::http_error || (f.kind == fault_kind::stream_error && !for_completion);
    if (error) return make_error_reply(make_error(f.status, fault_message(f)));
    return std::nullopt;
}

}  // namespace

router::router(const options& o, engine& e, journal& j, fault_plan& f)
    : options_(o), engine_(e), journal_(j), faults_(f) {}

routing_result router::route(const http_request& r, std::uint64_t connection, time_point now) {
    if (!loaded_at_) loaded_at_ = now + options_.load_time;
    request_record record = record_of(r, connection, now);
    auto parsed = parse_completion(r, options_);
    auto* wanted = parsed ? std::get_if<completion_request>(&*parsed) : nullptr;
    if (wanted) note(record, *wanted);
    routing_result to;
    to.number = record.number = journal_.add_request(record);

    if (auto refusal = refuse(r, now)) {
        to.answer = *refusal;
        return to;
    }
    to.fault =
        wanted && wanted->mock_fault ? wanted->mock_fault : faults_.use_fault_for(record, now);
    if (to.fault) {
        if (auto reply = instead(*to.fault, wanted != nullptr)) {
            to.fault.reset();
            to.answer = *reply;
            return to;
        }
        to.crash = to.fault->kind == fault_kind::crash && !wanted;
    }
    if (wanted) {
        to.answer = make_task(r, std::move(*wanted), to.number, to.fault);
        if (to.fault && is_engine_fault(*to.fault)) to.fault.reset();
    } else if (parsed) {
        to.answer = make_error_reply(std::get<api_error>(*parsed));
    } else if (is_slot_action(r)) {
        to.answer = act_on_slot(r, to.number);
    } else {
        to.answer = answer_now(r, now);
    }
    return to;
}

std::optional<http_reply> router::refuse(const http_request& r, time_point now) const {
    if (now < *loaded_at_) return make_error_reply(make_error(503, "Loading model"));
    const bool is_public = r.path == "/health" || r.path == "/v1/health";
    if (!is_public && !has_key(r)) return make_error_reply(make_error(401, "Invalid API Key"));
    return std::nullopt;
}

bool router::has_key(const http_request& r) const {
    if (options_.api_key.empty()) return true;
    std::string given = header_of(r, "authorization");
    if (given.empty()) given = header_of(r, "x-api-key");
    constexpr std::string_view bearer = "Bearer ";
    if (given.starts_with(bearer)) given.erase(0, bearer.size());
    return given == options_.api_key;
}

std::unique_ptr<task> router::make_task(const http_request& r, completion_request&& wanted,
                                        std::uint64_t number, const std::optional<fault>& f) const {
    auto t = std::make_unique<task>();
    t->id = number;
    t->request = std::move(wanted);
    // With this header, the stream continues even if its client disconnects.
    t->cancellable = header_of(r, "x-conversation-id").empty();
    if (f && is_engine_fault(*f)) t->fault = f;
    return t;
}

reply_or_task router::act_on_slot(const http_request& r, std::uint64_t number) const {
    const auto parsed = parse_slot_action(r, options_.slot_actions);
    if (const auto* error = std::get_if<api_error>(&parsed)) return make_error_reply(*error);
    const auto& wanted = std::get<slot_action>(parsed);
    auto t = std::make_unique<task>();
    t->id = number;
    t->kind = wanted.kind;
    t->request.id_slot = wanted.id_slot;
    t->file = wanted.file;
    return t;
}

http_reply router::answer_now(const http_request& r, time_point now) {
    try {
        std::optional<http_reply> reply;
        if (r.method == "GET") reply = get(r, now);
        if (r.method == "POST") reply = post(r);
        return reply ? *reply : make_error_reply(make_error(404, "File Not Found"));
    } catch (const std::exception& e) {
        return make_error_reply(make_error(400, e.what()));
    }
}

std::optional<http_reply> router::get(const http_request& r, time_point now) {
    if (r.path == "/health" || r.path == "/v1/health") return health();
    if (r.path == "/v1/models" || r.path == "/models") return models(options_, engine_);
    if (r.path == "/props") return props(options_, engine_);
    if (r.path == "/lora-adapters") return http_reply{200, engine_.adapters().list()};
    if (r.path == "/slots") {
        if (!options_.slots_endpoint) {
            return make_error_reply(make_error(501,
                                               "This server does not support slots endpoint. "
                                               "Start it with `--slots`"));
        }
        // The server answers this request from its task queue, where each result restarts the poll
        // interval of all waiting requests.
        engine_.restart_polls(now);
        return slots(engine_, r.query == "fail_on_no_slot=1");
    }
    if (r.path == "/metrics") {
        return make_error_reply(make_error(501,
                                           "This server does not support metrics endpoint. "
                                           "Start it with `--metrics`"));
    }
    return std::nullopt;
}

std::optional<http_reply> router::post(const http_request& r) {
    if (r.path == "/tokenize") return tokenize(r.body, options_);
    if (r.path == "/detokenize") return detokenize(r.body);
    if (r.path == "/apply-template") return apply_template(r.body, options_);
    if (r.path == "/lora-adapters") {
        engine_.adapters().set(r.body);
        return http_reply{200, R"({"success":true})"};
    }
    return std::nullopt;
}

}  // namespace tandem::mock
