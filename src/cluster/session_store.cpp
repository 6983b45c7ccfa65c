#include "cluster/session_store.hpp"

#include "cluster/store/store_script.hpp"
#include "loop/clock.hpp"

#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <utility>

namespace tandem::cluster {
namespace {

// Wait between two requests to release a session; doubles each time.
constexpr duration first_wait = std::chrono::milliseconds(5);
constexpr duration max_wait = std::chrono::milliseconds(40);

put_result read_put_result(const std::optional<store_answer>& answer) {
    if (!answer || answer->kind != answer_kind::integer) return put_result::unknown;
    return answer->number == 1 ? put_result::kept : put_result::refused;
}

take_answer read_taken_session(const std::optional<store_answer>& answer) {
    if (answer && answer->kind == answer_kind::nothing) return {.is_known = true};
    if (!answer || !answer->is_list_of(2)) return {};
    const auto& epoch = answer->items[0];
    const auto& record = answer->items[1];
    if (epoch.kind != answer_kind::integer || record.kind != answer_kind::text) return {};
    return {.is_known = true, .session = taken_session{epoch.number, record.text}};
}

}  // namespace

session_store::session_store(const boost::asio::any_io_executor& executor, store_link& link,
                             key_names keys, std::string gateway)
    : link_(link), keys_(std::move(keys)), gateway_(std::move(gateway)), executor_(executor) {}

void session_store::put(const std::string& session, const std::string& owner, session_epoch epoch,
                        duration kept, std::string record, put_handler done) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kept).count();
    scripts::put_session().run(
        link_, {key_of(session)},
        {std::to_string(epoch), gateway_, owner, std::to_string(ms), std::move(record)},
        [done = std::move(done)](const auto& answer) { done(read_put_result(answer)); });
}

void session_store::take(const std::string& session, const std::string& owner, session_epoch own,
                         wanted_check is_wanted, take_handler done) {
    ask_holder({session, owner, own, detail::now() + release_limit, first_wait,
                std::move(is_wanted), std::move(done)});
}

// A client that has since disconnected must not take the session from another client.
void session_store::ask_holder(take_request t) {
    if (!t.is_wanted()) return;
    std::string request;
    if (detail::now() < t.until) request.append(release_request) += t.session;
    const std::vector<std::string> keys{key_of(t.session), keys_.processes};
    const std::vector<std::string> arguments{gateway_, t.owner, std::to_string(t.own), request};
    scripts::take_session().run(
        link_, keys, arguments, [this, t = std::move(t)](const auto& answer) mutable {
            const bool is_asked = answer && answer->kind == answer_kind::integer;
            if (is_asked) return ask_holder_later(std::move(t));
            t.done(read_taken_session(answer));
        });
}

void session_store::ask_holder_later(take_request t) {
    const auto due = std::min(detail::now() + t.next_wait, t.until);
    t.next_wait = std::min(2 * t.next_wait, max_wait);
    const auto timer = std::make_shared<boost::asio::steady_timer>(executor_, due);
    timer->async_wait([this, timer, life = std::weak_ptr<void>(life_),
                       t = std::move(t)](boost::system::error_code ec) mutable {
        if (!ec && !life.expired()) ask_holder(std::move(t));
    });
}

void session_store::release(const std::string& session, session_epoch own) {
    scripts::release_session().run(link_, {key_of(session)}, {gateway_, std::to_string(own)},
                                   [](const auto&) {});
}

}  // namespace tandem::cluster
