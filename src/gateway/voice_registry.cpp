#include "gateway/voice_registry.hpp"

#include "gateway/gateway_core.hpp"
#include "gateway/voice_session.hpp"
#include "reply/clock.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tandem::gateway {
namespace {

voice_sessions::random_bits bits_of(std::random_device& random) {
    voice_sessions::random_bits bits{};
    for (std::size_t i = 0; i < bits.size(); i += sizeof(std::random_device::result_type)) {
        const auto word = random();
        std::memcpy(&bits[i], &word, sizeof word);
    }
    return bits;
}

}  // namespace

voice_registry::voice_registry(gateway_core& core)
    : core_(core),
      known_(core.options.voice, [&core] { return bits_of(core.random); }),
      expiry_(core.executor) {}

voice_registry::~voice_registry() = default;

auto voice_registry::admit(const admitted& who, const voice::start& first)
    -> std::variant<std::shared_ptr<voice_session>, api_error> {
    if (core_.is_stopping) return gateway_stopping();
    auto model = model_of(who, first);
    if (auto* error = std::get_if<api_error>(&model)) return std::move(*error);
    auto given = known_.admit(who.key_name(), first.session);
    if (auto* error = std::get_if<api_error>(&given)) return std::move(*error);
    const auto& place = std::get<voice_sessions::admission>(given);
    if (place.dropped) sessions_.erase(*place.dropped);
    if (place.is_new) return make(place.id, *std::get<served_model*>(model), first);
    return sessions_.at(place.id);
}

// A session that is taken up keeps its model; one that is not there has none.
auto voice_registry::model_of(const admitted& who, const voice::start& first)
    -> std::variant<served_model*, api_error> {
    if (first.session.empty()) return core_.models.find(first.model, who);
    const auto known = sessions_.find(first.session);
    if (known == sessions_.end()) return nullptr;
    auto& model = known->second->model();
    if (auto error = may_use(who, model.name)) return std::move(*error);
    return &model;
}

std::shared_ptr<voice_session> voice_registry::make(const std::string& id, served_model& model,
                                                    const voice::start& first) {
    const auto& o = core_.options;
    auto session = std::make_shared<voice_session>(
        core_, model,
        voice_setup{.session = id,
                    .model = model.name,
                    .asked_model = first.model,
                    .generation = o.service.server.generation,
                    .conversation = o.service.conversation,
                    .adapters = &core_.desk->adapters(),
                    .limits = o.voice,
                    .continue_timeout = o.service.server.continue_timeout});
    sessions_.emplace(id, session);
    return session;
}

void voice_registry::keep(std::string_view id) {
    known_.keep(detail::now(), id);
    watch_expiry();
}

void voice_registry::forget(const std::string& id) {
    known_.forget(id);
    sessions_.erase(id);
}

// The first to expire stays the first, or is taken up, and then the timer comes for nothing.
void voice_registry::watch_expiry() {
    const auto due = known_.next_expiry();
    if (!due || std::exchange(is_watching_, true)) return;
    expiry_.expires_at(*due);
    expiry_.async_wait([weak = core_.weak_from_this()](boost::system::error_code ec) {
        const auto core = weak.lock();
        if (ec || !core) return;
        core->voices.is_watching_ = false;
        core->voices.drop_expired();
    });
}

void voice_registry::drop_expired() {
    for (const auto& id : known_.take_expired(detail::now())) sessions_.erase(id);
    watch_expiry();
}

voice_socket voice_registry::add(voice_outlet& outlet) {
    sockets_.emplace(++last_socket_, &outlet);
    return last_socket_;
}

voice_outlet* voice_registry::find(voice_socket socket) const noexcept {
    const auto found = sockets_.find(socket);
    return found == sockets_.end() ? nullptr : found->second;
}

// Sessions that end are forgotten meanwhile.
auto voice_registry::all() const -> std::vector<std::shared_ptr<voice_session>> {
    std::vector<std::shared_ptr<voice_session>> list;
    for (const auto& [id, session] : sessions_) list.push_back(session);
    return list;
}

void voice_registry::drain() {
    for (const auto& session : all()) session->drain();
}

void voice_registry::stop() {
    for (const auto& session : all()) session->stop();
}

void voice_registry::clear() {
    sessions_.clear();
    expiry_.cancel();
}

}  // namespace tandem::gateway
