#include "gateway/sessions/served_models.hpp"

#include "gateway/answers/model_choice.hpp"

#include <utility>

namespace tandem::gateway {

served_models::served_models(const boost::asio::any_io_executor& executor, const gateway_options& o,
                             const adapter_set& adapters) {
    for (auto& m : list_models(o)) {
        auto settings = o.service;
        settings.servers = m.servers;
        // Readiness checks may come before the first conversation, so the servers are watched from
        // the start.
        settings.watch_always = true;
        // The prefill before the first turn must use the same adapters as the turn.
        settings.client.generation.lora = adapters.deployed_scales(m.name);
        names_.push_back(m.name);
        models_.push_back(
            {std::move(m.name), service(executor, std::move(settings), o.instruments)});
    }
}

std::variant<served_model*, api_error> served_models::find(std::string_view asked,
                                                           const admitted_request& who) {
    auto chosen = choose_model(names_, asked, who);
    if (auto* const error = std::get_if<api_error>(&chosen)) return std::move(*error);
    return &models_[std::get<std::size_t>(chosen)];
}

void served_models::set_server_drained(const std::string& server, bool is_drained) {
    for (auto& model : models_)
        for (const auto* const scheme : {"http://", "https://"})
            is_drained ? model.bots.drain_server(scheme + server)
                       : model.bots.undrain_server(scheme + server);
}

}  // namespace tandem::gateway
