#include "transport/curl_multi_driver.hpp"

#include <utility>

namespace tandem::transport {

curl_multi_driver::curl_multi_driver(const boost::asio::any_io_executor& executor,
                                     curl_options options)
    : pool_(std::move(options)),
      timer_(std::make_shared<curl_multi_timer>(executor, *this)),
      queue_(std::make_shared<delivery_queue>(executor)),
      sockets_(executor, *this),
      multi_(curl_multi_init()) {
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &curl_multi_driver::socket_trampoline);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &curl_multi_driver::timer_trampoline);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, static_cast<void*>(this));
}

std::shared_ptr<transfer> curl_multi_driver::make_transfer(http_request request,
                                                           exchange_handler& handler) {
    return std::make_shared<transfer>(std::move(request), handler, queue_);
}

void curl_multi_driver::start(transfer& t) {
    auto why = launch(t);
    if (!why) return connect_now();
    detach(t);
    t.end(std::move(why));
    queue_->deliver_soon();
}

std::optional<failure> curl_multi_driver::launch(transfer& t) {
    if (pool_.fault()) return make_config_failure(*pool_.fault());
    CURLcode code{};
    auto easy = pool_.prepare_handle(t.request(), t.own_headers(), code);
    if (easy) code = t.attach(std::move(easy), sockets_);
    if (code != CURLE_OK) return make_curl_failure(code, context_of(t));
    running_.insert(&t);
    if (curl_multi_add_handle(multi_.get(), t.easy()) != CURLM_OK)
        return make_curl_failure(CURLE_OUT_OF_MEMORY, context_of(t));
    return {};
}

// Lets curl connect now rather than in the next loop iteration. It is safe to call curl here,
// because handlers never run inside its callbacks. Results are delivered from the event loop, so no
// handler runs inside start().
void curl_multi_driver::connect_now() {
    int running = 0;
    curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
    collect_finished_transfers();
    if (!queue_->is_empty()) queue_->deliver_soon();
}

void curl_multi_driver::cut_transfer(transfer& t) noexcept {
    t.detach_handler();
    detach(t);
}

void curl_multi_driver::shutdown() noexcept {
    while (!running_.empty()) cut_transfer(**running_.begin());
    multi_.reset();
    sockets_.stop_watching();
    timer_->close();
    queue_->clear();
}

int curl_multi_driver::socket_trampoline(CURL*, curl_socket_t fd, int what, void* self,
                                         void*) noexcept try {
    static_cast<curl_multi_driver*>(self)->sockets_.watch(fd, what);
    return 0;
} catch (...) {
    return -1;
}

int curl_multi_driver::timer_trampoline(CURLM*, long milliseconds, void* self) noexcept try {
    static_cast<curl_multi_driver*>(self)->timer_->set(milliseconds);
    return 0;
} catch (...) {
    return -1;
}

void curl_multi_driver::on_ready(curl_socket_t fd, int mask) {
    perform_socket_action(fd, mask);
}

void curl_multi_driver::on_timeout() {
    perform_socket_action(CURL_SOCKET_TIMEOUT, 0);
}

void curl_multi_driver::perform_socket_action(curl_socket_t fd, int mask) {
    // Keeps this object alive, because a handler may destroy the transport.
    const auto self = shared_from_this();
    int running = 0;
    curl_multi_socket_action(multi_.get(), fd, mask, &running);
    collect_finished_transfers();
    queue_->deliver_all();
}

void curl_multi_driver::collect_finished_transfers() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left))
        if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
}

void curl_multi_driver::finish(CURL* easy, CURLcode code) {
    char* self = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
    auto& t = *reinterpret_cast<transfer*>(self);
    auto why = outcome(t, code);
    pool_.bypass_dns_cache_unless_connected(easy);
    detach(t);
    t.end(std::move(why));
}

void curl_multi_driver::detach(transfer& t) noexcept {
    if (!t.easy()) return;
    running_.erase(&t);
    // Must come before curl removes the transfer, while the descriptors are certainly ours: curl
    // 7.88 closes the socket of an unfinished connection without reporting it.
    sockets_.disconnect_sockets(t.sockets());
    curl_multi_remove_handle(multi_.get(), t.easy());
    sockets_.watch_kept_sockets(t.sockets());
    pool_.return_handle(t.detach());
}

std::optional<failure> curl_multi_driver::outcome(const transfer& t, CURLcode code) const {
    if (code != CURLE_OK) return make_curl_failure(code, context_of(t));
    if (t.http_status() == 0) return make_missing_status_failure(context_of(t));
    return {};
}

failure_context curl_multi_driver::context_of(const transfer& t) const {
    failure_context c{.url = pool_.server().shown,
                      .proxy = pool_.redacted_proxy(),
                      .https = pool_.server().https,
                      .connect_timeout = pool_.options().connect_timeout,
                      .connect_within = pool_.own_connect_timeout(t.request()),
                      .peer = pool_.options().peer,
                      .detail = t.curl_error_text(),
                      .http_status = t.http_status()};
    if (t.easy()) curl_easy_getinfo(t.easy(), CURLINFO_HTTP_CONNECTCODE, &c.proxy_status);
    return c;
}

}  // namespace tandem::transport
