#pragma once

#include "gateway/answers/answer_writer.hpp"
#include "gateway/answers/finished_answer.hpp"
#include "gateway/answers/keep_alive_policy.hpp"
#include "gateway/http/answer_client.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "loop/clock.hpp"

#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The common parts of the reply endpoints: checks, accounting, and the stream.
namespace tandem::gateway {

/// Records the prompt before checking it, so that the audit log also contains rejected prompts.
std::optional<api_error> check_prompt(answer_client& client, const gateway_core& core,
                                      const std::vector<std::string_view>& texts);
/// Sets the adapters' scales in the request, because a restarted server does not have the deployed
/// scales as its defaults.
std::optional<api_error> set_adapter_scales(const gateway_core& core, const served_model& model,
                                            generation_request& request);
/// Why a new conversation is not accepted now; see check_new_session().
std::optional<api_error> check_session_admission(gateway_core& core, const generation_job& job);

/// Releases the permit before responding, because the client may immediately send its next request.
boost::asio::awaitable<void> send_refusal(answer_client& client, admitted_request& who,
                                          const api_error& error);

/// Fills in the audit record. Records no tokens for a cached answer, so that the sum over all
/// records matches the servers' work.
void fill_audit_record(answer_client& client, const served_model& model, const token_usage& used,
                       finish_reason reason);
/// Accounts for a reply that has ended. `by_chunk`: the client received chunks as they were
/// completed.
void record_ended_reply(answer_client& client, gateway_core& core, const served_model& model,
                        const admitted_request& who, const reply& r, bool by_chunk);

/// Adds what is known at the end of a reply: the calls with their ids, the finish reason and the
/// usage.
void add_reply_end(finished_answer& answer, gateway_core& core, const reply_result& result);

/// Generates a whole answer, and accounts for it. If the client disconnects, cancels the reply. If
/// there is no answer, sends the error and returns nullopt.
boost::asio::awaitable<std::optional<finished_answer>> generate_answer(answer_client& client,
                                                                       gateway_core& core,
                                                                       generation_job job,
                                                                       admitted_request& who);

/// Streams one reply to a client. All arguments must outlive it.
class streamed_reply {
 public:
    streamed_reply(answer_client& client, gateway_core& core, const served_model& model,
                   answer_writer& events, tandem::stream_by unit)
        : client_(client),
          core_(core),
          model_(model),
          events_(events),
          by_chunk_(unit == tandem::stream_by::chunk) {}

    /// Sends `events` before those of the reply.
    void send_first(std::string events) { out_ = std::move(events); }
    /// Calls `handler` with the whole answer before its end is sent, because the client may then
    /// immediately send a request that continues it.
    void on_finished(std::function<void(const finished_answer&)> handler) {
        on_finished_ = std::move(handler);
    }
    /// Runs until the reply ends, or until the client disconnects.
    boost::asio::awaitable<void> run(reply& r, admitted_request& who);

 private:
    void append_piece(const chunk& piece);
    void append_call_piece(const chunk& piece);
    void send_calls();
    boost::asio::awaitable<void> send_pending();
    boost::asio::awaitable<void> end(const reply_result& result);
    void end_with_error(const api_error& error);

    answer_client& client_;
    gateway_core& core_;
    const served_model& model_;
    answer_writer& events_;
    bool by_chunk_;  // the client gets chunks as they are completed
    finished_answer answer_{};
    tool_call sent_call_{};  // the sent part of a call that is being generated
    std::function<void(const finished_answer&)> on_finished_;
    keep_alive_policy silence_{detail::now()};
    std::string out_;
    bool has_begun_ = false;
};

}  // namespace tandem::gateway
