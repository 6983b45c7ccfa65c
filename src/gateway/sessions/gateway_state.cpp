#include "gateway/sessions/gateway_state.hpp"

#include <cstring>
#include <utility>

namespace tandem::gateway {
namespace {

voice_session_table::random_source bits_of(std::random_device& random) {
    return [&random] {
        voice_session_table::random_bits bits{};
        for (std::size_t i = 0; i < bits.size(); i += sizeof(std::random_device::result_type)) {
            const auto word = random();
            std::memcpy(&bits[i], &word, sizeof word);
        }
        return bits;
    };
}

}  // namespace

gateway_state::gateway_state(const boost::asio::any_io_executor& its_executor, gateway_options o)
    : executor(its_executor),
      options(std::move(o)),
      desk(std::make_shared<adapter_deployer>(executor, options)),
      models(executor, options, desk->adapters()),
      gate(options.keys),
      policy(options.prompts),
      answers(options.answer_cache),
      metrics(measured_servers(options), started_at),
      known_sessions(options.voice, bits_of(random)) {
    desk->start();
}

}  // namespace tandem::gateway
