#pragma once

#include "os/coroutines.hpp"
#include "probe/doctor_facts.hpp"
#include "probe/probe_request.hpp"
#include "server/server_calls.hpp"
#include "server/template_marks_loader.hpp"
#include "transport/transport.hpp"

#include "tandem/config.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Coroutines that query a server. Only one of them may run at a time. After stop(), they end
/// immediately: results have `done` false, and complete() fails with operation_aborted. Not
/// thread-safe.
class probe_session {
 public:
    /// `ioc` must outlive this object, which must outlive its coroutines.
    probe_session(boost::asio::io_context& ioc, const config& c);

    awaitable<probe_result<>> health();
    awaitable<probe_result<server_props>> props();
    awaitable<probe_result<std::vector<slot_state>>> slots();
    /// Renders a short conversation.
    awaitable<probe_result<>> chat_template();
    /// The text that begins function calls; empty if the chat template does not show it.
    awaitable<probe_result<std::string>> call_mark(const server_props& props);
    /// Determines how a chat template, given as text, handles thinking.
    awaitable<probe_result<server::template_thinking>> thinking(std::string_view chat_template);
    awaitable<probe_result<std::vector<wire::token_id>>> tokenize(std::string_view text);
    awaitable<probe_answer> complete(probe_request_options options);
    awaitable<void> pause(duration time);

    void stop();
    bool stopped() const noexcept { return stopped_; }

 private:
    template <class Result, class Start>
    awaitable<Result> result_of(Start start);
    template <class T, class Call>
    awaitable<probe_result<T>> run_call(Call call);

    boost::asio::io_context& ioc_;
    std::unique_ptr<transport::http_transport> transport_;
    server::template_marks_loader marks_loader_;
    server::server_calls calls_;
    probe_timeouts limits_;
    std::vector<tag_pair> tags_;
    std::shared_ptr<probe_request> request_;
    boost::asio::steady_timer timer_;
    bool stopped_ = false;
};

}  // namespace tandem::command
