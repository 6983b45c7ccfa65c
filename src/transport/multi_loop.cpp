#include "transport/multi_loop.hpp"

#include <utility>

namespace tandem::transport {

multi_loop::multi_loop(const boost::asio::any_io_executor& executor, curl_options options)
    : pool_(std::move(options)),
      timer_(std::make_shared<multi_timer>(executor, *this)),
      queue_(std::make_shared<delivery_queue>(executor)),
      sockets_(executor, *this),
      multi_(curl_multi_init()) {
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &multi_loop::socket_trampoline);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, static_cast<void*>(this));
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &multi_loop::timer_trampoline);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, static_cast<void*>(this));
}

std::shared_ptr<transfer> multi_loop::make_transfer(http_request request,
                                                    exchange_handler& handler) {
    return std::make_shared<transfer>(std::move(request), handler, queue_);
}

void multi_loop::start(transfer& t) {
    auto why = launch(t);
    if (!why) return;
    detach(t);
    t.end(std::move(why));
    queue_->run_soon();
}

std::optional<failure> multi_loop::launch(transfer& t) {
    if (pool_.fault()) return invalid_config(*pool_.fault());
    CURLcode code{};
    auto easy = pool_.take(t.request(), t.own_headers(), code);
    if (easy) code = t.attach(std::move(easy), sockets_);
    if (code != CURLE_OK) return describe(code, context_of(t));
    running_.insert(&t);
    if (curl_multi_add_handle(multi_.get(), t.easy()) != CURLM_OK)
        return describe(CURLE_OUT_OF_MEMORY, context_of(t));
    return {};
}

void multi_loop::cut(transfer& t) noexcept {
    t.silence();
    detach(t);
}

void multi_loop::shutdown() noexcept {
    while (!running_.empty()) cut(**running_.begin());
    multi_.reset();
    sockets_.stop_watching();
    timer_->close();
    queue_->clear();
}

int multi_loop::socket_trampoline(CURL*, curl_socket_t fd, int what, void* self, void*) noexcept
    try {
    static_cast<multi_loop*>(self)->sockets_.watch(fd, what);
    return 0;
} catch (...) {
    return -1;
}

int multi_loop::timer_trampoline(CURLM*, long milliseconds, void* self) noexcept try {
    static_cast<multi_loop*>(self)->timer_->set(milliseconds);
    return 0;
} catch (...) {
    return -1;
}

void multi_loop::on_ready(curl_socket_t fd, int mask) {
    drive(fd, mask);
}

void multi_loop::on_timeout() {
    drive(CURL_SOCKET_TIMEOUT, 0);
}

void multi_loop::drive(curl_socket_t fd, int mask) {
    // A handler may destroy the transport.
    const auto self = shared_from_this();
    int running = 0;
    curl_multi_socket_action(multi_.get(), fd, mask, &running);
    collect_ended();
    queue_->run();
}

void multi_loop::collect_ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left))
        if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
}

void multi_loop::finish(CURL* easy, CURLcode code) {
    char* self = nullptr;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &self);
    auto& t = *reinterpret_cast<transfer*>(self);
    auto why = outcome(t, code);
    detach(t);
    t.end(std::move(why));
}

void multi_loop::detach(transfer& t) noexcept {
    if (!t.easy()) return;
    running_.erase(&t);
    // First, while the numbers are sure to be ours: curl 7.88 closes the socket of a connection
    // that is not up yet without telling.
    sockets_.cut(t.sockets());
    curl_multi_remove_handle(multi_.get(), t.easy());
    pool_.give_back(t.detach());
}

std::optional<failure> multi_loop::outcome(const transfer& t, CURLcode code) const {
    if (code != CURLE_OK) return describe(code, context_of(t));
    if (t.http_status() == 0) return describe_missing_status(context_of(t));
    return {};
}

failure_context multi_loop::context_of(const transfer& t) const {
    failure_context c{.url = pool_.server().shown,
                      .proxy = pool_.shown_proxy(),
                      .https = pool_.server().https,
                      .connect_timeout = pool_.options().connect_timeout,
                      .connect_within = pool_.own_connect_limit(t.request()),
                      .peer = pool_.options().peer,
                      .detail = t.curl_words(),
                      .http_status = t.http_status()};
    if (t.easy()) curl_easy_getinfo(t.easy(), CURLINFO_HTTP_CONNECTCODE, &c.proxy_status);
    return c;
}

}  // namespace tandem::transport
