// Conversations with functions, interrupted at random, while servers are killed and restarted.

#include "gateway/chaotic_caller.hpp"
#include "gateway/voice_fixture.hpp"
#include "support/prompt_check.hpp"
#include "support/run_settings.hpp"

#include <array>
#include <atomic>
#include <iostream>

namespace {

using namespace tandem;
using namespace tandem::testing;

constexpr auto after_user = "<|im_end|>\n<|im_start|>assistant\n";

std::string call_of(const std::string& name) {
    return "<tool_call>\n{\"name\": \"" + name + "\", \"arguments\": {\"day\": \"Friday\"}}\n</tool_call>";
}

class voice_tools_chaos : public voice_gateway {
 protected:
    voice_tools_chaos() {
        options.audit = nullptr;
        options.voice.call_timeout = 1s;
        options.voice.message_burst = 10'000;
        options.voice.messages_per_second = 10'000;
        options.service.client.failover.retries = 8;
        options.service.client.failover.resume_within = 10s;
        options.service.health.down_after = 1;
        server_options.tool_template = true;
        server_options.parallel = 16;
        server_options.ctx_size = 16 * 16384;
        server_options.tokens_per_second = 300;
        add_replies();
    }

    void add_replies() {
        const auto add = [this](const std::string& end, std::string reply) {
            server_options.replies.push_back({end + after_user, std::move(reply)});
        };
        add("Book a table.", "One moment. I will look.\n" + call_of("book"));
        add("Book two.", "Two tables, then.\n" + call_of("book") + "\n" + call_of("look"));
        add("Just look.", call_of("look"));
        add("Tell me more.", "We are open on Friday. The fish is fresh. Shall I book a table?");
        add("Write nonsense.", "Well.\n<tool_call>\n{\"name\": \"nothing\", \"arguments\": {}}\n</tool_call>");
        add("done.", "That is booked. Is there more?");
        add("full.", "It is full. I will look again.\n" + call_of("look"));
        add("comes later.", "I am looking. Please wait.");
        add("took too long.", "That takes long. I am sorry.");
        add("Goodbye.", "Goodbye. See you soon.");
    }

    /// Keeps what the servers read, and lets one die and come back at a time.
    class dying_servers {
     public:
        dying_servers(const mock::options& o, std::size_t n) {
            for (std::size_t i = 0; i < n; ++i) {
                servers_.push_back(std::make_unique<mock::server>(o));
                options_.push_back(o);
                options_.back().port = servers_.back()->port();
            }
        }
        std::vector<std::string> urls() const {
            std::vector<std::string> all;
            for (const auto& s : servers_) all.push_back(s->url());
            return all;
        }
        void replace(std::size_t i, duration pause) {
            servers_[i]->stop();
            take_records(i);
            std::this_thread::sleep_for(pause);
            servers_[i] = std::make_unique<mock::server>(options_[i]);
        }
        void inject(std::size_t i, mock::fault f) { servers_[i]->inject(std::move(f)); }
        std::size_t size() const { return servers_.size(); }
        std::vector<mock::request_record> take_all() {
            for (std::size_t i = 0; i < size(); ++i) take_records(i);
            return std::exchange(records_, {});
        }

     private:
        void take_records(std::size_t i) {
            auto seen = servers_[i]->observe();
            for (auto& r : seen.requests) records_.push_back(std::move(r));
        }
        std::vector<std::unique_ptr<mock::server>> servers_;
        std::vector<mock::options> options_;
        std::vector<mock::request_record> records_;
    };
};

}  // namespace
