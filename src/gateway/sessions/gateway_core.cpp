#include "gateway/sessions/gateway_core.hpp"

#include <string_view>
#include <utility>

namespace tandem::gateway {
namespace {

// Each loop has something to write down.
gateway_options with_one_audit(gateway_options o) {
    if (!o.audit) return o;
    const auto audit = std::make_shared<detail::guarded<decltype(o.audit)>>(std::move(o.audit));
    o.audit = [audit](std::string_view line) { (*audit->lock())(line); };
    return o;
}

}  // namespace

gateway_core::gateway_core(const std::vector<boost::asio::any_io_executor>& executors,
                           gateway_options o)
    : options(with_one_audit(std::move(o))),
      desk(std::make_shared<adapter_desk>(executors.front(), options)),
      models(executors, options, desk->adapters()),
      gate(options.keys),
      policy(options.prompts),
      questions(asked_questions{shared_answers(options.answer_cache)}),
      metrics(measured_servers(options), started_at),
      voice_sessions(options.voice) {
    for (const auto& executor : executors) loops.emplace_back(*this, loops.size(), executor);
    desk->start();
}

}  // namespace tandem::gateway
