#include "gateway/cluster/cluster_limits.hpp"

#include "cluster/store/store_script.hpp"
#include "loop/clock.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

std::string usage_key(const std::string& key) {
    return fmt::format("limits:{}", key);
}

std::string ns_text(duration d) {
    return std::to_string(std::chrono::nanoseconds(d).count());
}

bool is_count(const cluster::store_answer& a) {
    return a.kind == cluster::answer_kind::integer && a.number >= 0;
}

}  // namespace

std::shared_ptr<cluster_limits> cluster_limits::make(
    const boost::asio::any_io_executor& executor,
    const std::shared_ptr<cluster::cluster_member>& member) {
    std::shared_ptr<cluster_limits> limits(new cluster_limits(executor, member));
    member->add_connection_handler([weak = std::weak_ptr(limits)] {
        if (const auto self = weak.lock()) self->resend_unconfirmed_usage();
    });
    return limits;
}

void cluster_limits::request_verdict(const limit_query& q, verdict_handler done) {
    const auto member = member_.lock();
    if (!member)
        return boost::asio::post(executor_,
                                 [done = std::move(done)] { done(detail::now(), std::nullopt); });
    member->run(cluster::scripts::admit_request(), {"members", usage_key(q.key), "processes"},
                make_admission_arguments({member->id(), member->process_id()}, q),
                [done = std::move(done)](const auto& answer) {
                    done(detail::now(), read_verdict(answer));
                });
}

void cluster_limits::report_usage(const usage_report& s, report_handler done) {
    const auto member = member_.lock();
    if (!member) return;
    member->run(cluster::scripts::record_usage(), {usage_key(s.key)},
                make_usage_arguments({member->id(), member->process_id()}, s),
                [weak = weak_from_this(), s, done = std::move(done)](const auto& answer) {
                    const bool is_known = answer && is_count(*answer);
                    const auto self = weak.lock();
                    if (self && s.running && !is_known)
                        self->unconfirmed_running_[s.key] = *s.running;
                    done(detail::now(), is_known);
                });
}

void cluster_limits::resend_unconfirmed_usage() {
    for (const auto& [key, running] : std::exchange(unconfirmed_running_, {}))
        report_usage({.key = key, .running = running}, [](auto, auto) {});
}

std::int64_t cluster_limits::count_members() const {
    const auto member = member_.lock();
    return member ? member->count_members() : 1;
}

std::vector<std::string> make_admission_arguments(const gateway_process& sender,
                                                  const shared_limits::limit_query& q) {
    return {sender.gateway,
            std::to_string(q.requests_per_minute),
            std::to_string(q.tokens_per_minute),
            std::to_string(q.concurrent),
            std::to_string(q.running),
            ns_text(q.requests_time_until_full),
            ns_text(q.tokens_time_until_full),
            q.is_doubtful ? "1" : "0",
            sender.process};
}

std::vector<std::string> make_usage_arguments(const gateway_process& sender,
                                              const shared_limits::usage_report& s) {
    return {sender.gateway, s.running ? std::to_string(*s.running) : "",
            std::to_string(s.tokens_per_minute), std::to_string(s.tokens), sender.process};
}

std::optional<shared_limits::verdict> read_verdict(
    const std::optional<cluster::store_answer>& answer) {
    if (!answer || !answer->is_list_of(4) || !std::ranges::all_of(answer->items, is_count))
        return std::nullopt;
    const auto& items = answer->items;
    return shared_limits::verdict{
        .is_admitted = items[0].number == 1,
        .requests_time_until_full = std::chrono::nanoseconds(items[1].number),
        .tokens_time_until_full = std::chrono::nanoseconds(items[2].number),
        .running_elsewhere = items[3].number};
}

}  // namespace tandem::gateway
