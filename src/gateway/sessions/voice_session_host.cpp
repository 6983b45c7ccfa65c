#include "gateway/sessions/voice_session_host.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/session_admission.hpp"
#include "loop/clock.hpp"

#include <utility>

namespace tandem::gateway {

voice_session_host::voice_session_host(gateway_core& gateway)
    : gateway_(gateway), expiry_(gateway.executor) {}

// --- sockets

voice_socket voice_session_host::add_socket(voice_sink& outlet) {
    sockets_.emplace(++sockets_made_, &outlet);
    return sockets_made_;
}

void voice_session_host::send(voice_socket socket, std::string text) {
    if (auto* const outlet = find(socket)) outlet->send(std::move(text));
}

void voice_session_host::close(voice_socket socket, voice_close why) {
    if (auto* const outlet = find(socket)) outlet->close(why);
}

voice_sink* voice_session_host::find(voice_socket socket) const noexcept {
    const auto found = sockets_.find(socket);
    return found == sockets_.end() ? nullptr : found->second;
}

// --- starts

void voice_session_host::start(voice_socket socket, voice_caller caller, voice::start first) {
    if (gateway_.cluster && !first.session.empty() && !gateway_.is_stopping)
        return ask_cluster(socket, std::move(caller), std::move(first));
    auto given = admit(caller.who, first);
    answer_start(socket, std::move(caller), std::move(first), std::move(given));
}

void voice_session_host::answer_start(voice_socket socket, voice_caller caller, voice::start first,
                                      std::variant<session_ptr, api_error> given) {
    auto* const outlet = find(socket);
    if (!outlet) return;
    if (auto* const error = std::get_if<api_error>(&given))
        return outlet->on_refused(std::move(caller),
                                  {.why = std::move(*error), .turn = first.turn});
    const auto session = std::get<session_ptr>(std::move(given));
    session->on_socket_attached(socket, std::move(caller), std::move(first));
    outlet->on_started(session);
}

auto voice_session_host::admit(const admitted_request& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> try {
    if (gateway_.is_stopping) return make_stopping_error();
    return first.session.empty() ? open(who, first) : resume(who, first);
} catch (...) {
    // The client waits for a response, so an exception must become an error.
    log_current_exception(gateway_.options,
                          "cannot start a voice session because of an internal error");
    return make_internal_error();
}

auto voice_session_host::open(const admitted_request& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> {
    auto model = gateway_.models.find(first.model, who);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    if (auto error = check_new_session(gateway_, *std::get<served_model*>(model)))
        return *std::move(error);
    auto given = gateway_.known_sessions.admit(who.key_name(), {});
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    const auto& admitted = std::get<voice_session_table::admission>(given);
    if (admitted.dropped) sessions_.erase(*admitted.dropped);
    try {
        auto& served = *std::get<served_model*>(model);
        constexpr cluster::session_epoch first_epoch = 1;
        return add_session(served, voice_turn_machine(make_setup(admitted.id, served, first.model)),
                           who, first_epoch);
    } catch (...) {
        gateway_.known_sessions.forget(admitted.id);
        throw;
    }
}

// A resumed session keeps its model, so the key must still be allowed to use that model.
auto voice_session_host::resume(const admitted_request& who, const voice::start& first)
    -> std::variant<session_ptr, api_error> {
    const auto& id = first.session;
    const auto known = sessions_.find(id);
    if (known != sessions_.end())
        if (auto error = check_model_allowed(who, known->second->model().name))
            return *std::move(error);
    if (gateway_.known_sessions.owns(who.key_name(), id))
        if (auto error = sessions_.at(id)->find_fault(first)) return *std::move(error);
    auto given = gateway_.known_sessions.admit(who.key_name(), id);
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    return sessions_.at(id);
}

voice_setup voice_session_host::make_setup(const std::string& id, const served_model& model,
                                           const std::string& asked_model) const {
    const auto& o = gateway_.options;
    return {.session = id,
            .model = model.name,
            .asked_model = asked_model,
            .generation = o.service.client.generation,
            .conversation = o.service.conversation,
            .adapters =
                [deployer = gateway_.deployer, name = model.name](const auto& wanted) {
                    return deployer->adapters().select_adapters(name, wanted);
                },
            .limits = o.voice,
            .continue_timeout = o.service.client.limits.continue_timeout};
}

auto voice_session_host::add_session(served_model& model, voice_turn_machine turns,
                                     const admitted_request& who, cluster::session_epoch epoch)
    -> session_ptr {
    const auto id = turns.session();
    auto session = std::make_shared<voice_session>(gateway_, model, std::move(turns));
    if (gateway_.cluster) session->start_storing_records(std::string(who.key_name()), epoch);
    sessions_.emplace(id, session);
    return session;
}

// --- end of sessions

void voice_session_host::keep_without_socket(std::string_view id) {
    gateway_.known_sessions.keep_without_socket(detail::now(), id);
    arm_expiry_timer();
}

void voice_session_host::forget_session(const std::string& id) {
    gateway_.known_sessions.forget(id);
    sessions_.erase(id);
}

// Sessions expire in the order in which they lost their sockets, so a running timer never fires too
// late for another session. If its session is resumed, it fires without effect.
void voice_session_host::arm_expiry_timer() {
    const auto due = gateway_.known_sessions.next_expiry();
    if (!due || std::exchange(is_watching_, true)) return;
    expiry_.expires_at(*due);
    expiry_.async_wait([this, weak = gateway_.weak_from_this()](boost::system::error_code ec) {
        const auto gateway = weak.lock();
        if (ec || !gateway) return;
        is_watching_ = false;
        drop_expired();
    });
}

void voice_session_host::drop_expired() {
    for (const auto& id : gateway_.known_sessions.take_expired(detail::now())) sessions_.erase(id);
    arm_expiry_timer();
}

// --- all sessions

// Returns a copy, because sessions that end are erased during the iteration.
auto voice_session_host::list_sessions() const -> std::vector<session_ptr> {
    std::vector<session_ptr> list;
    for (const auto& [id, session] : sessions_) list.push_back(session);
    return list;
}

void voice_session_host::drain() {
    for (const auto& session : list_sessions()) session->drain();
}

void voice_session_host::stop() {
    for (const auto& session : list_sessions()) session->stop();
}

void voice_session_host::end_all_sessions() {
    for (const auto& [id, session] : sessions_) gateway_.known_sessions.forget(id);
    sessions_.clear();
    expiry_.cancel();
}

}  // namespace tandem::gateway
