#include "transport/transfer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace tandem::transport {
namespace {

// Leaves room in the 256 KiB for up to CURL_MAX_WRITE_SIZE bytes that curl itself keeps when
// paused.
constexpr std::size_t buffer_bound = 256 * 1024 - CURL_MAX_WRITE_SIZE;

// The status in a line such as "HTTP/1.1 200 OK"; 0 for any other line.
int status_of(std::string_view line) {
    const auto space = line.find(' ');
    if (!line.starts_with("HTTP/") || space == line.npos) return 0;
    int status = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
    return status;
}

// The TLS time is 0 without TLS.
duration connecting_time(CURL* easy) noexcept {
    curl_off_t tcp = 0;
    curl_off_t tls = 0;
    curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &tcp);
    curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &tls);
    return std::chrono::microseconds(std::max(tcp, tls));
}

// The header may also contain a date, which curl converts. curl reports 0 if there is no valid
// header.
std::optional<duration> read_retry_after(CURL* easy) noexcept {
    curl_off_t seconds = 0;
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &seconds);
    if (seconds <= 0) return std::nullopt;
    constexpr curl_off_t most = 24 * 3600;
    return std::chrono::seconds(std::min(seconds, most));
}

bool is_final(int status) {
    return status >= 200;
}

}  // namespace

transfer::transfer(http_request request, exchange_handler& handler,
                   std::shared_ptr<delivery_queue> queue)
    : request_(std::move(request)),
      handler_(&handler),
      queue_(std::move(queue)),
      body_(buffer_bound) {}

CURLcode transfer::attach(easy_handle easy, socket_table& table) {
    easy_ = std::move(easy);
    option_setter set(easy_.get());
    set(CURLOPT_PRIVATE, static_cast<void*>(this));
    set(CURLOPT_ERRORBUFFER, curl_words_.data());
    set(CURLOPT_WRITEFUNCTION, &transfer::write_trampoline);
    set(CURLOPT_WRITEDATA, static_cast<void*>(this));
    set(CURLOPT_HEADERFUNCTION, &transfer::header_trampoline);
    set(CURLOPT_HEADERDATA, static_cast<void*>(this));
    const auto code = table.attach(easy_.get(), sockets_);
    return set.result() == CURLE_OK ? code : set.result();
}

easy_handle transfer::detach() noexcept {
    curl_easy_setopt(easy_.get(), CURLOPT_ERRORBUFFER, nullptr);
    curl_easy_setopt(easy_.get(), CURLOPT_PRIVATE, nullptr);
    return std::move(easy_);
}

void transfer::pause() {
    if (std::exchange(paused_, true)) return;
    // Before the connection is up, curl forgets the pause, so write() also holds data back.
    if (easy_) curl_easy_pause(easy_.get(), CURLPAUSE_RECV);
    apply_pause_state();
}

void transfer::resume() {
    if (!std::exchange(paused_, false)) return;
    resume_curl();
    queue_->push(*this);
    queue_->deliver_soon();
}

void transfer::end(std::optional<failure> why) {
    if (result_) return;
    result_ = std::move(why).value_or(failure{});
    queue_->push(*this);
}

std::size_t transfer::write_trampoline(char* data, std::size_t size, std::size_t count,
                                       void* self) noexcept try {
    return static_cast<transfer*>(self)->write({data, size * count});
} catch (...) {
    return 0;
}

std::size_t transfer::header_trampoline(char* data, std::size_t size, std::size_t count,
                                        void* self) noexcept try {
    static_cast<transfer*>(self)->read_header({data, size * count});
    return size * count;
} catch (...) {
    return 0;
}

std::size_t transfer::write(std::string_view bytes) {
    if (paused_ || !body_.append(bytes)) {
        stalled_ = true;
        apply_pause_state();
        return CURL_WRITEFUNC_PAUSE;
    }
    queue_->push(*this);
    return bytes.size();
}

void transfer::read_header(std::string_view line) {
    // Lines after the headers are trailers, which are ignored.
    if (headers_ != headers::awaited) return;
    if (const int status = status_of(line)) status_ = status;
    const bool is_last = line.starts_with('\r') || line.starts_with('\n');
    if (!is_last || !is_final(status_)) return;
    headers_ = headers::received;
    connected_after_ = connecting_time(easy_.get());
    retry_after_ = read_retry_after(easy_.get());
    apply_pause_state();
    queue_->push(*this);
}

void transfer::deliver() {
    deliver_status();
    deliver_data();
    while (can_call_handler() && stalled_) {
        resume_curl();
        deliver_data();
    }
    deliver_end();
}

void transfer::deliver_status() {
    if (!can_call_handler() || headers_ != headers::received) return;
    headers_ = headers::reported;
    handler_->on_status(status_);
}

void transfer::deliver_data() {
    while (can_call_handler() && !body_.empty()) handler_->on_data(body_.take());
}

void transfer::deliver_end() {
    if (!can_call_handler() || !result_) return;
    const auto result = std::move(*result_);
    std::exchange(handler_, nullptr)->on_end(result.ec, result.diag);
}

// curl immediately delivers the data that it held back, through write().
void transfer::resume_curl() {
    stalled_ = false;
    apply_pause_state();
    if (!easy_) return;
    const auto code = curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
    if (code != CURLE_OK) end(make_curl_failure(code, {.url = "the server"}));
}

// A paused transfer uses its socket until the headers arrive, to connect and to send the request.
void transfer::apply_pause_state() {
    const bool is_held = stalled_ || (paused_ && http_status() > 0);
    if (easy_) sockets_.table->set_reading_held(sockets_, is_held);
}

}  // namespace tandem::transport
