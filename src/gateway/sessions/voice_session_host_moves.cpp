#include "gateway/cluster/unrecorded_chunk.hpp"
#include "gateway/records/session_record.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_session_host.hpp"

#include "tandem/saved_conversation.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

// Sessions that move here from another gateway.
namespace tandem::gateway {
namespace {

/// A parsed record.
struct moved_session {
    session_record record{};
    generation_changes first{};
    generation_changes last{};
    /// The conversation's setting; nullopt without a conversation.
    std::optional<duration> resume_grace{};
};

std::optional<generation_changes> read_options(const std::string& text) {
    if (text.empty()) return generation_changes();
    const auto read =
        parse_voice_message(fmt::format(R"({{"type":"start","text":"-","options":{}}})", text));
    const auto* const message = std::get_if<voice_message>(&read);
    const auto* const start = message ? std::get_if<voice::start>(message) : nullptr;
    return start ? std::optional(start->options) : std::nullopt;
}

api_error make_store_away_error() {
    auto e = make_error(503, "cluster_unavailable",
                        "the store of the cluster does not answer, and this gateway does not have "
                        "the session; try again");
    e.retry_after = std::chrono::seconds(1);
    return e;
}

std::variant<moved_session, std::string> parse_session_record(std::string_view text) {
    auto read = parse_record(text);
    if (auto* const fault = std::get_if<std::string>(&read)) return std::move(*fault);
    moved_session moved{.record = std::get<session_record>(std::move(read))};
    const auto first = read_options(moved.record.options);
    const auto last =
        moved.record.turn ? read_options(moved.record.turn->options) : generation_changes();
    if (!first || !last) return "record has options that are not valid";
    moved.first = *first;
    moved.last = *last;
    saved_conversation saved;
    if (moved.record.conversation.empty()) return moved;
    if (const auto fault = read_saved(moved.record.conversation, saved))
        return fmt::format("record.conversation: {} {}", fault->field, fault->message);
    moved.resume_grace = saved.options.resume_grace;
    return moved;
}

}  // namespace

/// Asks the store for the session, because another gateway may have taken it in the meantime.
void voice_session_host::ask_cluster(voice_socket socket, voice_caller caller, voice::start first) {
    const std::string owner(caller.who.key_name());
    const auto known = sessions_.find(first.session);
    const bool is_here =
        known != sessions_.end() && gateway_.known_sessions.owns(owner, first.session);
    const auto epoch = is_here ? known->second->epoch() : 0;
    const auto id = first.session;
    struct asked_start {
        voice_caller caller;
        voice::start first;
    };
    auto asked = std::make_shared<asked_start>(asked_start{std::move(caller), std::move(first)});
    gateway_.cluster->sessions().take(
        id, owner, epoch, [this, socket] { return find(socket) != nullptr; },
        [this, socket, asked, epoch](cluster::take_answer taken) {
            if (!find(socket)) return;
            auto& [who, start] = *asked;
            const bool was_here = epoch > 0 && taken.session && taken.session->record.empty();
            // In the meantime, another gateway has taken the session that was here.
            if (was_here && !sessions_.contains(start.session))
                return ask_cluster(socket, std::move(who), std::move(start));
            auto given = admit_asked(who.who, start, std::move(taken));
            answer_start(socket, std::move(who), std::move(start), std::move(given));
        });
}

auto voice_session_host::admit_asked(const admitted_request& who, const voice::start& first,
                                     cluster::take_answer taken)
    -> std::variant<session_ptr, api_error> {
    if (taken.session && !taken.session->record.empty())
        return admit_moved(who, first, *std::move(taken.session));
    const bool is_here = gateway_.known_sessions.owns(who.key_name(), first.session);
    if (taken.is_known || is_here || gateway_.cluster->has_lost_store()) return admit(who, first);
    return make_store_away_error();
}

void voice_session_host::rewrite_records() {
    for (const auto& [id, session] : sessions_) session->rewrite_record();
}

// After a restart, the store still names this gateway as the holder of sessions that this gateway
// no longer has.
void voice_session_host::release_to_gateway(const std::string& id) {
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) return gateway_.cluster->sessions().release(id, 0);
    std::shared_ptr(found->second)->release_to_gateway();
}

auto voice_session_host::admit_moved(const admitted_request& who, const voice::start& first,
                                     cluster::taken_session taken)
    -> std::variant<session_ptr, api_error> try {
    if (gateway_.is_stopping) return make_stopping_error();
    return restore(who, first, std::move(taken));
} catch (...) {
    log_current_exception(
        gateway_.options,
        "cannot resume a voice session of another gateway because of an internal error");
    return make_internal_error();
}

auto voice_session_host::restore(const admitted_request& who, const voice::start& first,
                                 cluster::taken_session taken)
    -> std::variant<session_ptr, api_error> {
    if (const auto old = sessions_.find(first.session); old != sessions_.end())
        std::shared_ptr(old->second)->end_taken_over();
    auto read = parse_session_record(taken.record);
    if (const auto* const fault = std::get_if<std::string>(&read)) {
        const auto& log = gateway_.options.instruments.log;
        if (log.enabled(log_level::error))
            log.write(log_level::error,
                      fmt::format("cannot resume a voice session of another gateway: {}", *fault));
        return make_session_not_found_error();
    }
    auto& moved = std::get<moved_session>(read);
    if (first.last) add_unrecorded_chunk(moved.record, *first.last, gateway_.filter);
    auto model = gateway_.models.find(moved.record.model, who);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    auto& served = *std::get<served_model*>(model);
    auto setup = make_setup(first.session, served, moved.record.asked_model);
    if (moved.resume_grace) setup.conversation.resume_grace = *moved.resume_grace;
    voice_turn_machine turns(std::move(setup), std::move(moved.record), moved.first, moved.last);
    auto given = gateway_.known_sessions.take_over(who.key_name(), first.session);
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    if (const auto& dropped = std::get<voice_session_table::admission>(given).dropped)
        sessions_.erase(*dropped);
    auto session = add_session(served, std::move(turns), who, taken.epoch);
    auto error = session->find_fault(first);
    if (!error) return session;
    keep_without_socket(first.session);
    return *std::move(error);
}

}  // namespace tandem::gateway
