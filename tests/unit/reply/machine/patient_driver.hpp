#pragma once

#include "support/machine_driver.hpp"

#include <string>
#include <utility>

namespace tandem::test {

/// Drives a reply that continues after a server failure, with two retries within 3 s.
struct patient_driver : machine_driver {
    static detail::reply_rules patient_rules() {
        using namespace std::chrono_literals;
        auto rules = default_rules();
        rules.retry_policy = {.retries = 2, .resume_within = 3s};
        return rules;
    }

    explicit patient_driver(detail::reply_rules rules = patient_rules())
        : machine_driver(std::move(rules)) {}

    /// Runs the reply from its start until its server fails after these tokens.
    template <class... Texts>
    void break_behind(Texts... texts) {
        begin();
        tokens(texts...);
        fail(errc::stream_incomplete);
    }
    /// Reports that another server was found, and that it decodes the ids to `text`.
    void found_again(std::string text) {
        found();
        checked(std::move(text));
    }
    using leave_kind = detail::server_leave_reason::kind;
    void leave(leave_kind what, time_point asked = {}) {
        const auto code = what == leave_kind::removed ? errc::server_gone : errc::no_model;
        machine.leave_server(now, {what, {code, {}}, asked});
    }
    /// Advances the time by the longest pause before a third attempt.
    void pause() {
        pass(std::chrono::milliseconds(100));
        deadline();
    }
    std::string error() const { return error_name(machine.result().error); }
    std::string words() const { return machine.result().diagnostics.client_message; }
};

}  // namespace tandem::test
