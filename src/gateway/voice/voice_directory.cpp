#include "gateway/voice/voice_directory.hpp"

#include <cstring>
#include <memory>
#include <random>
#include <utility>

namespace tandem::gateway {
namespace {

voice_sessions::random_source random_bits() {
    return [random = std::make_shared<std::random_device>()] {
        voice_sessions::random_bits bits{};
        for (std::size_t i = 0; i < bits.size(); i += sizeof(std::random_device::result_type)) {
            const auto word = (*random)();
            std::memcpy(&bits[i], &word, sizeof word);
        }
        return bits;
    };
}

}  // namespace

voice_directory::voice_directory(const voice_limits& limits)
    : voice_directory(limits, random_bits()) {}

std::variant<voice_directory::opened_session, api_error> voice_directory::open(
    std::string_view owner, std::size_t loop) {
    auto given = known_.admit(owner, {});
    if (auto* const error = std::get_if<api_error>(&given)) return std::move(*error);
    auto& admitted = std::get<voice_sessions::admission>(given);
    opened_session opened{.id = std::move(admitted.id)};
    if (admitted.dropped) opened.dropped = lose(*std::move(admitted.dropped));
    loops_.emplace(opened.id, loop);
    return opened;
}

std::optional<api_error> voice_directory::take_up(std::string_view owner, std::string_view id) {
    auto given = known_.admit(owner, id);
    if (auto* const error = std::get_if<api_error>(&given)) return std::move(*error);
    return std::nullopt;
}

std::optional<std::size_t> voice_directory::loop_of(const std::string& id) const {
    const auto found = loops_.find(id);
    return found == loops_.end() ? std::nullopt : std::optional(found->second);
}

void voice_directory::forget(const std::string& id) {
    known_.forget(id);
    loops_.erase(id);
}

std::vector<voice_directory::lost_session> voice_directory::take_expired(time_point now) {
    std::vector<lost_session> over;
    for (auto& id : known_.take_expired(now)) over.push_back(lose(std::move(id)));
    return over;
}

voice_directory::lost_session voice_directory::lose(std::string id) {
    const auto found = loops_.find(id);
    const auto loop = found->second;
    loops_.erase(found);
    return {.id = std::move(id), .loop = loop};
}

}  // namespace tandem::gateway
