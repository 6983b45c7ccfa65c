#pragma once

#include "support/scripted_server.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

/// An OTLP collector over HTTP. Sends the given answers in order, and then accepts everything.
class otlp_collector {
 public:
    using json = nlohmann::json;

    explicit otlp_collector(std::vector<std::string> answers = {}) : answers_(std::move(answers)) {}

    std::string url() const { return server_.url(); }
    /// The requests so far, with their heads.
    std::vector<std::string> requests() const {
        const std::lock_guard lock(mutex_);
        return requests_;
    }
    /// The spans in the requests so far.
    std::vector<json> spans() const {
        std::vector<json> all;
        for (const auto& request : requests()) {
            const auto body = json::parse(request.substr(request.find("\r\n\r\n") + 4));
            for (const auto& resource : body["resourceSpans"])
                for (const auto& scope : resource["scopeSpans"])
                    for (const auto& span : scope["spans"]) all.push_back(span);
        }
        return all;
    }

    /// The value of an attribute of a span or an event, without its type; null if it is missing.
    static json attribute(const json& of, const std::string& key) {
        for (const auto& a : of["attributes"])
            if (a["key"] == key) return a["value"].begin().value();
        return {};
    }

 private:
    std::string take(std::string request) {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
        const auto n = requests_.size() - 1;
        return n < answers_.size() ? answers_[n] : whole_answer("{}");
    }

    mutable std::mutex mutex_;
    const std::vector<std::string> answers_;
    std::vector<std::string> requests_;
    scripted_server server_{[this](scripted_peer& peer) -> boost::asio::awaitable<void> {
        auto request = co_await peer.read_request();
        auto answer = take(std::move(request));
        co_await peer.send(std::move(answer));
        co_await peer.wait_for_close();
    }};
};

}  // namespace tandem::testing
