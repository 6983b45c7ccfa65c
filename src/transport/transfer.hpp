#pragma once

#include "base/time.hpp"
#include "transport/body_buffer.hpp"
#include "transport/curl_errors.hpp"
#include "transport/curl_handles.hpp"
#include "transport/delivery_queue.hpp"
#include "transport/socket_table.hpp"
#include "transport/transport.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string_view>

namespace tandem::transport {

/// Connects curl's callbacks with the handler of an exchange. The callbacks only store data here,
/// and deliver() calls the handler. Therefore, a handler may do anything, including destroying this
/// exchange or the transport.
class transfer : public std::enable_shared_from_this<transfer> {
 public:
    transfer(http_request request, exchange_handler& handler,
             std::shared_ptr<delivery_queue> queue);

    const http_request& request() const noexcept { return request_; }
    /// Headers of this request only; they live as long as the request.
    header_list& own_headers() noexcept { return own_headers_; }

    /// Makes `easy` report to this object until detach().
    CURLcode attach(easy_handle easy, socket_table& table);
    easy_handle detach() noexcept;
    CURL* easy() const noexcept { return easy_.get(); }
    transfer_sockets& sockets() noexcept { return sockets_; }

    void pause();
    void resume();

    /// The final report; `why` is empty if the answer is complete.
    void end(std::optional<failure> why);
    /// Ensures that the handler is not called again.
    void detach_handler() noexcept { handler_ = nullptr; }

    /// Status of the answer; 0 before its headers are complete.
    int http_status() const noexcept { return headers_ == headers::awaited ? 0 : status_; }
    /// See exchange::connect_duration().
    std::optional<duration> connect_duration() const noexcept { return connected_after_; }
    /// See exchange::retry_after().
    std::optional<duration> retry_after() const noexcept { return retry_after_; }
    /// curl's message about a failure.
    std::string_view curl_error_text() const noexcept { return curl_words_.data(); }

 private:
    friend class delivery_queue;

    enum class headers { awaited, received, reported };

    static std::size_t write_trampoline(char* data, std::size_t size, std::size_t count,
                                        void* self) noexcept;
    static std::size_t header_trampoline(char* data, std::size_t size, std::size_t count,
                                         void* self) noexcept;
    std::size_t write(std::string_view bytes);
    void read_header(std::string_view line);

    /// Calls the handler with everything received so far.
    void deliver();
    void deliver_status();
    void deliver_data();
    void deliver_end();
    bool can_call_handler() const noexcept { return handler_ && !paused_; }
    void resume_curl();
    void apply_pause_state();

    http_request request_;
    header_list own_headers_;
    exchange_handler* handler_;
    std::shared_ptr<delivery_queue> queue_;
    easy_handle easy_;
    transfer_sockets sockets_;
    std::array<char, CURL_ERROR_SIZE> curl_words_{};

    body_buffer body_;
    int status_ = 0;
    std::optional<duration> connected_after_;
    std::optional<duration> retry_after_;
    headers headers_ = headers::awaited;
    std::optional<failure> result_;  // set at the end; holds no error if the answer is complete

    bool paused_ = false;   // by the user
    bool stalled_ = false;  // curl waits for room in the buffer
    bool queued_ = false;   // the queue holds this object
};

}  // namespace tandem::transport
