#pragma once

#include "cluster/gateway_process.hpp"
#include "cluster/shared_load.hpp"
#include "cluster/store_fixture.hpp"
#include "cluster/voice_listener.hpp"
#include "support/child_process.hpp"
#include "support/poll_until.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tandem::testing {

using namespace std::chrono_literals;
using nlohmann::json;

inline const std::string question = "Tell me a story.";
inline const std::string clock_call =
    "<tool_call>\n{\"name\": \"clock\", \"arguments\": {}}\n</tool_call>";

inline std::string make_story() {
    std::string text;
    for (int i = 1; i <= 30; ++i) text += "This is sentence " + std::to_string(i) + " of it. ";
    text.pop_back();
    return text;
}

/// Voice sessions that another gateway resumes. Each gateway is a process, as in production.
class moving_sessions : public store_fixture {
 protected:
    moving_sessions() : mock_(TANDEM_MOCK_SERVER, {.args = mock_arguments()}) {
        const auto line = mock_.read_line();
        server_ = line.substr(line.rfind(' ') + 1);
    }

    std::vector<std::string> mock_arguments() {
        const auto file = files_.name() + "/dialogues.jsonl";
        std::ofstream(file) << make_dialogue({{"user", question}, {"assistant", story}})
                            << make_dialogue({{"user", "What time is it?"},
                                              {"assistant", clock_call},
                                              {"tool", "The result comes later."},
                                              {"assistant", "I am looking."},
                                              {"user", "Result of clock {}: noon\nAnd?"},
                                              {"assistant", "It is noon."}});
        return {"--port",
                "0",
                "--no-bos",
                "--tool-template",
                "--dialogues",
                file,
                "--tokens-per-second",
                "1000",
                "--parallel",
                "64",
                "--ctx-size",
                "131072"};
    }
    static std::string make_dialogue(
        const std::vector<std::pair<std::string, std::string>>& messages) {
        json dialogue{{"id", "d"}, {"messages", json::array()}};
        for (const auto& [role, content] : messages)
            dialogue["messages"].push_back({{"role", role}, {"content", content}});
        return dialogue.dump() + "\n";
    }

    gateway::gateway_options options() {
        gateway::gateway_options o;
        o.port = 0;
        o.model = "talk";
        o.service.servers = {server_};
        o.service.client.server.proxy = "none";
        o.service.client.server.reuse_guard = 0s;
        o.service.client.chunking.first_chunk_min_tokens = 0;
        o.cluster =
            cluster::cluster_options{.store = cluster::parse_store_address(store.url()).address,
                                     .gateway_id = "g" + std::to_string(++made_)};
        return o;
    }
    std::unique_ptr<gateway_process> make_gateway() {
        return std::make_unique<gateway_process>(options());
    }

    /// A field of a hash in the store.
    std::string read_store(const std::string& hash, const std::string& field) {
        return ask(link, {"HGET", "tdm:tandem:" + hash, field})->text;
    }
    /// The value of `quantity` in the load that the first gateway reports.
    double read_load(const std::string& quantity) {
        const auto load = cluster::parse_load(read_store("loads", "g1"));
        return cluster::find_quantity(load, quantity);
    }
    void add_other_gateway(const cluster::shared_load& load) {
        ask(link, {"ZADD", "tdm:tandem:members", "9999999999999", "other"});
        ask(link, {"HSET", "tdm:tandem:loads", "other", cluster::serialize_load(load)});
    }
    /// Asks the gateway repeatedly to resume the session. Returns false if the gateway never does
    /// so.
    static bool can_resume(const gateway_process& at, const json& session) {
        return poll_until([&] {
            voice_client c(at.port());
            c.say({{"type", "start"}, {"session", session}});
            return c.read().value("resumed", false);
        });
    }
    /// Continues each chunk until the reply ends, and returns the reply's text.
    static std::string hear(voice_client& c) {
        std::string text;
        auto m = c.read();
        for (; !m.is_null() && m["finish_reason"] != "eos"; m = c.read()) {
            if (m["type"] != "chunk") continue;
            text += m["text"];
            c.say({{"type", "continue"}, {"chunk", m["id"]}});
        }
        return text;
    }

    const std::string story = make_story();
    const json tools = json::parse(R"([{"type":"function","function":{"name":"clock"}}])");
    cluster::store_link link{loop.get_executor(), options_of(store), {}};
    temporary_folder files_;
    child_process mock_;
    std::string server_;
    int made_ = 0;
};

}  // namespace tandem::testing
