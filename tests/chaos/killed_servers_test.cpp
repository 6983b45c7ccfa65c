// `kill -9` while replies run. Each reply continues at its position on another server, or on the
// same server after a restart.

#include "chaos/chaos_fixture.hpp"
#include "support/poll_until.hpp"

#include <array>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tandem::testing {
namespace {

class killed_servers : public chaos {
 protected:
    // Waits until the killed server is healthy again, so that at most one server is dead at a time.
    void kill_one_of_two() {
        const auto number = static_cast<std::size_t>(pick(0, 1));
        let_pass_up_to(100ms);
        note(fmt::format("KILL {}", server(number).url()));
        server(number).kill_hard();
        let_pass_up_to(200ms);
        server(number).start_again();
        note(fmt::format("BACK {}", server(number).url()));
    }
};

TEST_F(killed_servers, leave_no_trace_in_the_replies_of_a_service) {
    start_servers(2);
    const auto texts = undisturbed(service_of(urls()));
    const int wanted = number_from_environment("TANDEM_CHAOS_REPLIES", 200);
    talkers people(service_of(urls()), observed(), {.max_speech = 100ms, .seed = seed()}, texts);
    int kills = 0;
    for (; !people.done() && (people.replies() < wanted || kills < wanted / 2); ++kills) {
        if (kills > 10 * wanted) break;  // gives up: the talkers make no progress
        kill_one_of_two();
    }
    const auto totals = people.finish();
    std::cout << kills << " kills; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GE(totals.replies, wanted);
    EXPECT_GT(totals.retries, 0);
    EXPECT_TRUE(becomes_idle(server(0)) && becomes_idle(server(1)));
}

TEST_F(killed_servers, are_waited_for_if_there_is_no_other) {
    start_servers(1);
    auto config = client_config(server(0).url());
    config.failover.retries = 3;
    config.failover.resume_within = 5s;
    const auto texts = undisturbed(config);
    const int wanted = number_from_environment("TANDEM_CHAOS_KILLS", 3);
    talkers people(config, observed(), {.max_speech = 100ms, .seed = seed()}, texts);
    for (int kills = 0; kills < wanted && !people.done(); ++kills) {
        const int before = people.replies();
        poll_until([&] { return people.replies() > before + 8 || people.done(); });
        let_pass_up_to(200ms);
        note("KILL");
        server(0).kill_hard();
        let_pass(2s);
        server(0).start_again();
        note("BACK");
    }
    const auto totals = people.finish();
    std::cout << wanted << " kills; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GT(totals.retries, 0);
    EXPECT_TRUE(becomes_idle(server(0)));
}

// Starts a process that only runs a server. Returns the ids of this process and of the server.
std::pair<pid_t, pid_t> process_with_a_server() {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
    const auto process = fork();
    if (process == 0) {
        const real_server server;
        const auto its = server.process();
        if (write(pipe[1], &its, sizeof its) != sizeof its) _exit(1);
        for (;;) pause();
    }
    ::close(pipe[1]);
    pid_t server = -1;
    if (read(pipe[0], &server, sizeof server) != sizeof server) server = -1;
    ::close(pipe[0]);
    return {process, server};
}

TEST_F(killed_servers, die_with_the_process_that_started_them) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // so that waitpid() can wait for the orphaned server
    const auto [process, server] = process_with_a_server();
    ASSERT_GT(server, 0);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    EXPECT_TRUE(poll_until([its = server] { return waitpid(its, nullptr, WNOHANG) == its; }));
}

}  // namespace
}  // namespace tandem::testing
