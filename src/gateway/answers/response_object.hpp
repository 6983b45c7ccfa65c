#pragma once

#include "gateway/answers/answer_writer.hpp"
#include "gateway/answers/finished_answer.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>

// Responses of /v1/responses, in OpenAI's format.
namespace tandem::gateway {

/// The fields that a response has both as a body and in events.
struct response_head {
    /// "resp_…"; see make_random_id(). The ids of the response's items are derived from this id.
    std::string id{};
    /// Unix time in seconds.
    std::int64_t created = 0;
    std::string model{};
    /// See response_request::repeated.
    std::string repeated{};
};

/// How events are delimited.
enum class event_format {
    server_sent,  ///< as in an SSE stream
    lines,        ///< one JSON object per line; a WebSocket sends each line as a message
};

/// Writes a response as events, each with a sequence number. Each output item is complete before
/// the next one begins. The last event is response.completed, response.incomplete at the token
/// limit, or response.failed.
class response_stream final : public answer_writer {
 public:
    explicit response_stream(response_head head, event_format format = event_format::server_sent);

    /// Writes the events that start the response and contain its id, unless they were already
    /// written. The other functions call this first.
    void begin(std::string& out);
    void write_text_piece(std::string_view text, std::string& out) override;
    void write_reasoning_piece(std::string_view text, std::string& out) override;
    void write_call_piece(const tool_call& piece, std::string& out) override;
    void end_call(std::string& out) override { close_part("completed", out); }
    void end(finish_reason reason, const answer_usage& usage, std::string& out) override;
    void end_with_error(const api_error& error, std::string& out) override;
    void write_keep_alive(std::string& out) const override;

 private:
    using json = nlohmann::ordered_json;
    enum class part { none, message, reasoning, call };

    void append_event(std::string_view type, json fields, std::string& out);
    void open(part what, std::string& out);
    void close_part(std::string_view status, std::string& out);
    void close_call(std::string_view status, std::string& out);
    void add_item(const json& item, std::string& out);
    void finish_item(json item, std::string& out);
    json make_position_fields() const;
    json make_call_position_fields() const;

    response_head head_;
    event_format format_;
    json output_ = json::array();  // finished items
    part open_ = part::none;
    std::string open_text_;
    tool_call open_call_;
    int sequence_ = 0;
    bool has_begun_ = false;
    bool has_ended_ = false;
};

/// The response body. The answer must be complete.
std::string encode_response(const response_head& head, const finished_answer& answer);

}  // namespace tandem::gateway
