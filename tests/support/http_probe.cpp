#include "support/http_probe.hpp"

#include "transport/curl_transport.hpp"

#include <utility>

namespace tandem::testing {

std::string running_answer::text() const {
    std::string all;
    for (const auto& e : events_) all += e.value("content", "");
    return all;
}

void running_answer::on_status(int http_status) {
    status_ = http_status;
    if (when_begun) when_begun();
}

void running_answer::on_data(std::string_view bytes) {
    body_ += bytes;
    parser_.feed(bytes);
    wire::sse_event event;
    while (parser_.next(event))
        if (event.what == wire::sse_event::kind::message)
            events_.push_back(json::parse(event.data, nullptr, false));
}

void running_answer::on_end(error_code ec, const diagnostics&) {
    error_ = ec;
    ended_ = true;
}

http_probe::http_probe(const std::string& url, const std::string& api_key)
    // Tests ignore the machine's proxy settings.
    : transport_(transport::make_curl_transport(
          loop_.ioc.get_executor(),
          {.url = url, .api_key = api_key, .ca_file = {}, .ca_path = {}, .proxy = "none"})) {}

http_probe::~http_probe() = default;

std::unique_ptr<running_answer> http_probe::send(transport::http_request request) {
    auto a = std::make_unique<running_answer>();
    a->exchange_ = transport_->start(std::move(request), *a);
    return a;
}

std::unique_ptr<running_answer> http_probe::send_and_wait(transport::http_request request) {
    auto a = send(std::move(request));
    wait_for_end(*a);
    return a;
}

std::unique_ptr<running_answer> http_probe::get(const std::string& path) {
    return send_and_wait({.method = "GET", .path = path, .body = {}});
}

std::unique_ptr<running_answer> http_probe::post(const std::string& path, const json& body) {
    return post_text(path, body.dump());
}

std::unique_ptr<running_answer> http_probe::post_text(const std::string& path,
                                                      const std::string& body) {
    return send_and_wait({.path = path, .body = body});
}

std::unique_ptr<running_answer> http_probe::start(const json& body) {
    return send({.path = "/completion", .body = body.dump()});
}

std::unique_ptr<running_answer> http_probe::complete(const json& body) {
    auto a = start(body);
    wait_for_end(*a);
    return a;
}

bool http_probe::wait_for_events(const running_answer& a, std::size_t count) {
    return wait_until([&] { return a.events().size() >= count || a.ended(); }) &&
           a.events().size() >= count;
}

bool http_probe::wait_for_end(const running_answer& a) {
    return wait_until([&] { return a.ended(); });
}

}  // namespace tandem::testing
