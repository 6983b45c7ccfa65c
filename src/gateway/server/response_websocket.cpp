#include "gateway/server/response_websocket.hpp"

#include "base/trace_context.hpp"
#include "gateway/json/field_reader.hpp"
#include "gateway/json/json_text.hpp"
#include "gateway/json/request_body.hpp"
#include "gateway/requests/response_request.hpp"
#include "gateway/server/await_admission.hpp"
#include "gateway/server/reply_delivery.hpp"
#include "gateway/server/request_trace.hpp"
#include "loop/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <iterator>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t max_waiting_requests = 8;

/// Some clients look for the fields inside `error`, others next to `error`, and some do not accept
/// null.
std::string encode_error_event(const api_error& why) {
    json event{{"type", "error"}, {"sequence_number", 0}, {"status", why.status}};
    json error = json::parse(encode_error_body(why))["error"];
    for (auto member = error.begin(); member != error.end();)
        member = member->is_null() ? error.erase(member) : std::next(member);
    for (const auto* name : {"code", "message", "param"})
        if (error.contains(name)) event[name] = error[name];
    event["error"] = std::move(error);
    return dump_json(event);
}

struct message_head {
    std::string type{};
    std::string response_id{};
};

// Parsing a longer message takes so long that the key's limits are checked first.
constexpr std::size_t max_unchecked_bytes = 4096;

/// Returns the head of a message, or a fault.
std::variant<message_head, api_error> read_head(std::string_view text, std::size_t max_bytes) {
    json root;
    if (auto fault = parse_body(text, max_bytes, root)) return *std::move(fault);
    field_reader fields;
    message_head head;
    if (!fields.read_required(root, "", "type", head.type) ||
        !fields.read(root, "", "response_id", head.response_id))
        return std::move(fields).fault();
    return head;
}

api_error make_unknown_type_error(std::string_view type) {
    return make_error(400, "unknown_type",
                      fmt::format(R"(type is "{}"; it must be response.create or response.cancel)",
                                  quote_text(type)),
                      "type");
}

/// Why the message creates no response.
std::optional<api_error> find_type_fault(std::string_view text, std::size_t max_bytes) {
    const auto head = read_head(text, max_bytes);
    if (const auto* const fault = std::get_if<api_error>(&head)) return *fault;
    const auto& type = std::get<message_head>(head).type;
    if (type != "response.create") return make_unknown_type_error(type);
    return std::nullopt;
}

}  // namespace

class response_websocket::client final : public answer_client {
 public:
    explicit client(response_websocket& socket) : socket_(socket) {}
    ~client() override { socket_.cancel_ = nullptr; }

    std::string_view traceparent() const override { return socket_.caller_.traceparent; }
    awaitable<void> send(const api_error& error) override {
        record.status = error.status;
        record.error = error.code;
        socket_.queue_message(encode_error_event(error));
        co_return;
    }
    awaitable<void> begin_stream() override {
        record.status = 101;
        co_return;
    }
    awaitable<void> write(std::string_view lines) override {
        while (!lines.empty()) {
            const auto end = lines.find('\n');
            socket_.queue_message(std::string(lines.substr(0, end)));
            lines.remove_prefix(end + 1);
        }
        co_await socket_.wait_until_sent();
    }
    awaitable<void> end_stream() override { co_return; }
    void on_disconnect(std::function<void()> handler) override {
        socket_.cancel_ = std::move(handler);
        if (socket_.is_closing() || socket_.is_cancelled_) socket_.cancel_answer();
    }

 private:
    response_websocket& socket_;
};

response_websocket::response_websocket(client_stream stream, std::shared_ptr<gateway_core> core,
                                       voice_caller caller)
    : message_socket(
          std::move(stream), core,
          {.request_id = caller.request_id, .max_message_bytes = core->options.max_body_bytes}),
      caller_(std::move(caller)) {}

// --- messages

void response_websocket::handle_message(std::string_view text) {
    if (text.size() > max_unchecked_bytes) return queue_request(std::string(text));
    const auto head = read_head(text, core_->options.max_body_bytes);
    if (const auto* const fault = std::get_if<api_error>(&head))
        return queue_message(encode_error_event(*fault));
    const auto& [type, id] = std::get<message_head>(head);
    if (type == "response.create") return queue_request(std::string(text));
    if (type == "response.cancel") return cancel_answer(id);
    queue_message(encode_error_event(make_unknown_type_error(type)));
}

void response_websocket::queue_request(std::string body) {
    if (waiting_.size() >= max_waiting_requests)
        return queue_message(encode_error_event(
            make_error(429, "too_many_requests",
                       fmt::format("{} requests wait for the running one; wait for its end",
                                   max_waiting_requests))));
    waiting_.push_back(std::move(body));
    if (std::exchange(is_answering_, true)) return;
    const auto self = std::static_pointer_cast<response_websocket>(shared_from_this());
    boost::asio::co_spawn(
        core_->executor, [self] { return self->answer_requests(); },
        [self](const std::exception_ptr& e) {
            self->is_answering_ = false;
            if (e) self->begin_closing(voice_close::broken);
        });
}

// The response may have ended while the message was on its way.
void response_websocket::cancel_answer(const std::string& id) {
    if (id.empty() || id == newest_.running_id) cancel_answer();
}

void response_websocket::cancel_answer() {
    // A request that still waits for the store is cancelled when it begins to generate.
    is_cancelled_ = is_answering_;
    if (const auto cancel = std::exchange(cancel_, nullptr)) cancel();
}

// --- answers

auto response_websocket::answer_requests() -> awaitable<void> {
    while (!waiting_.empty() && !is_closing()) {
        auto body = std::move(waiting_.front());
        waiting_.pop_front();
        co_await answer(std::move(body));
    }
    is_answering_ = false;
    if (closes_when_idle_) begin_closing(voice_close::restarting);
}

auto response_websocket::answer(std::string body) -> awaitable<void> {
    const auto began = detail::now();
    is_cancelled_ = false;
    newest_.running_id.clear();
    client requester(*this);
    begin_trace(requester, *core_, began);
    try {
        co_await answer(requester, body);
    } catch (...) {
        log_current_exception(core_->options, "a response ends because of an internal error");
        queue_message(encode_error_event(make_internal_error()));
        requester.record.status = 500;
    }
    auto& record = requester.record;
    record.time = std::chrono::system_clock::now();
    record.request_id = caller_.request_id;
    record.trace_id = parse_trace_id(requester.onward_traceparent());
    record.remote = caller_.remote;
    record.key = caller_.who.key_name();
    record.method = "GET";
    record.route = "/v1/responses";
    record.elapsed = detail::now() - began;
    log_and_audit(core_->options, record, log_level::info);
    end_trace(requester, *core_, record.request_id, record.route);
}

// The key is checked for each request: it may have been removed, or have reached a limit.
auto response_websocket::answer(client& requester, const std::string& body) -> awaitable<void> {
    auto checked = core_->gate.authorize_reply(caller_.who, detail::now());
    if (auto* const open = std::get_if<locally_admitted_request>(&checked))
        checked = co_await await_admission(core_->gate, std::move(*open));
    if (const auto* const why = std::get_if<api_error>(&checked))
        co_return co_await requester.send(*why);
    auto& who = std::get<admitted_request>(checked);
    // handle_message() has already checked shorter messages.
    if (body.size() > max_unchecked_bytes)
        if (const auto fault = find_type_fault(body, core_->options.max_body_bytes))
            co_return co_await send_refusal(requester, who, *fault);
    auto read = read_response_request(body, core_->defaults());
    if (const auto* const fault = std::get_if<api_error>(&read))
        co_return co_await send_refusal(requester, who, *fault);
    co_await answer_on_socket(requester, *core_, std::get<response_request>(std::move(read)), who,
                              newest_);
}

// --- the end

std::string response_websocket::make_closing_message(voice_close why) const {
    if (why == voice_close::no_text)
        return encode_error_event(
            make_error(400, "binary_message", "messages are JSON in text frames"));
    if (why == voice_close::too_large)
        return encode_error_event(
            make_error(413, "message_too_large",
                       fmt::format("the message exceeds the limit of {} bytes; send less in "
                                   "one message",
                                   core_->options.max_body_bytes)));
    if (why == voice_close::too_many_messages)
        return encode_error_event(make_error(400, "too_many_messages",
                                             "messages are sent too fast; the limit is "
                                             "that of the voice WebSocket"));
    return {};
}

void response_websocket::on_reading_ended() {
    waiting_.clear();
    cancel_answer();
    keep_for_reconnect(*core_, caller_.who, newest_);
}

void response_websocket::close_when_idle() {
    closes_when_idle_ = true;
    if (!is_answering_) begin_closing(voice_close::restarting);
}

// The client still gets the end of the running response.
void response_websocket::abort() {
    waiting_.clear();
    close_when_idle();
    cancel_answer();
}

}  // namespace tandem::gateway
