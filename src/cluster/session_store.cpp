#include "cluster/session_store.hpp"

#include "cluster/store/store_script.hpp"

#include <chrono>
#include <utility>

namespace tandem::cluster {
namespace {

put_result read_put(const std::optional<store_answer>& answer) {
    if (!answer || answer->kind != answer_kind::integer) return put_result::unknown;
    return answer->number == 1 ? put_result::kept : put_result::refused;
}

std::optional<taken_session> read_taken(const std::optional<store_answer>& answer) {
    if (!answer || !answer->is_list_of(2)) return std::nullopt;
    const auto& epoch = answer->items[0];
    const auto& record = answer->items[1];
    if (epoch.kind != answer_kind::integer || record.kind != answer_kind::text) return std::nullopt;
    return taken_session{epoch.number, record.text};
}

}  // namespace

session_store::session_store(store_link& link, std::string prefix, std::string gateway)
    : link_(link), prefix_(std::move(prefix)), gateway_(std::move(gateway)) {}

void session_store::put(const std::string& session, const std::string& owner, session_epoch epoch,
                        duration kept, std::string record, put_handler done) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(kept).count();
    scripts::put_session().run(
        link_, {key_of(session)},
        {std::to_string(epoch), gateway_, owner, std::to_string(ms), std::move(record)},
        [done = std::move(done)](const auto& answer) { done(read_put(answer)); });
}

void session_store::take(const std::string& session, const std::string& owner, session_epoch own,
                         take_handler done) {
    scripts::take_session().run(
        link_, {key_of(session)}, {gateway_, owner, std::to_string(own)},
        [done = std::move(done)](const auto& answer) { done(read_taken(answer)); });
}

}  // namespace tandem::cluster
