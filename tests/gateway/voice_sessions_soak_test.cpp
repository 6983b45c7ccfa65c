// Voice sessions leave nothing behind in the gateway, however they end.

#include "gateway/voice_fixture.hpp"
#include "support/child_process.hpp"
#include "support/process.hpp"
#include "support/run_settings.hpp"

#include <array>

namespace {

using namespace tandem;
using namespace tandem::testing;

/// The resources of the process while no client is connected.
struct holdings {
    std::size_t heap = 0;
    std::size_t descriptors = 0;
    std::size_t registrations = 0;
};

class voice_session_table : public voice_gateway {
 protected:
    voice_session_table() {
        options.audit = nullptr;             // otherwise, the fixture stores every line
        options.voice.sessions_per_key = 4;  // limits the sessions that wait for their clients
        options.service.client.generation.max_tokens = 60;
        // The mock server is a separate process, because the heap must not contain its records.
        options.service.servers = {server_.read_line().substr(std::string("listening on ").size())};
        open_gate();
    }

    void come_and_go(std::uint64_t count) {
        constexpr std::array endings{
            &voice_session_table::hear_the_whole_reply, &voice_session_table::interrupt_a_reply,
            &voice_session_table::talk_over_a_reply, &voice_session_table::lose_the_connection,
            &voice_session_table::take_a_session_up_again};
        for (std::uint64_t i = 0; i < count; ++i) (this->*endings[i % endings.size()])();
    }
    /// Waits until the only client of the gateway is the one that reads its metrics, and the
    /// process holds no more than `at_most`. A connection to the server may close a moment after
    /// its request was cut.
    holdings at_rest(const holdings& at_most = {.descriptors = SIZE_MAX,
                                                .registrations = SIZE_MAX}) {
        auto c = client();
        holdings now;
        EXPECT_TRUE(poll_until([&] {
            const auto metrics = c.get("/metrics").body;
            now = {heap_bytes(), open_descriptors(), epoll_registrations()};
            return metrics.find("\ntandem_http_connections 1\n") != std::string::npos &&
                   now.descriptors <= at_most.descriptors &&
                   now.registrations <= at_most.registrations;
        })) << "descriptors: "
            << now.descriptors << ", registrations in epoll: " << now.registrations;
        return now;
    }

 private:
    void hear_the_whole_reply() {
        auto c = voice();
        c.say(start_of("Tell me about the harbour."));
        EXPECT_EQ(listen(c)["type"], "end");
        c.close();
    }
    void interrupt_a_reply() {
        auto c = voice();
        c.say(start_of("Tell me about the market."));
        c.read("chunk");
        c.say({{"type", "interrupt"}});
        EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
        c.close();
    }
    void talk_over_a_reply() {
        auto c = voice();
        c.say(start_of("Tell me about the museum."));
        c.read("chunk");
        c.say(start_of("No, about the bridge."));
        EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
        EXPECT_EQ(listen(c)["type"], "end");
        c.drop();
    }
    void lose_the_connection() {
        auto c = voice();
        c.say(start_of("Tell me about the island."));
        c.read("chunk");
        c.drop();
    }
    void take_a_session_up_again() {
        auto lost = voice();
        lost.say(start_of("Tell me about the forest."));
        const auto id = lost.read("ready")["session"];
        lost.read("chunk");
        lost.drop();
        auto c = voice();
        c.say({{"type", "start"}, {"session", id}});
        EXPECT_EQ(c.read("ready")["resumed"], true);
        c.close();
    }

    child_process server_{TANDEM_MOCK_SERVER, {.args = {"--port", "0", "--parallel", "8"}}};
};

// The full soak test runs with TANDEM_SOAK_SESSIONS=20000.
TEST_F(voice_session_table, leave_nothing_behind_however_they_end) {
    const auto all = test::number_from_environment("TANDEM_SOAK_SESSIONS", 600);
    come_and_go(all / 20);
    const auto early = at_rest();
    come_and_go(all - all / 20);
    const auto late = at_rest(early);
    // Pools take up to 60 KiB, regardless of the number of sessions. A leak of 0.9 kB a session
    // exceeds the bound.
    const auto growth = static_cast<std::int64_t>(late.heap - early.heap);
    EXPECT_TRUE(!is_memory_measurable || growth < 128 * 1024)
        << growth << " bytes in " << all - all / 20 << " sessions";
    std::cout << all << " sessions: heap " << early.heap << " to " << late.heap
              << " bytes, descriptors " << early.descriptors << " to " << late.descriptors
              << ", registrations in epoll " << early.registrations << " to " << late.registrations
              << "\n";
}

}  // namespace
