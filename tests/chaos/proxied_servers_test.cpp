// The effect of network faults on replies. A proxy in front of each server simulates the network.

#include "chaos/proxied_fixture.hpp"

namespace tandem::testing {
namespace {

TEST_F(proxied_servers, whose_ports_close_and_open_are_found_again) {
    start_proxied(2, {.seed = seed()});
    const auto texts = undisturbed(service_of(urls()));
    talkers people(impatient_service(), observed(), {.max_speech = 50ms, .seed = seed()}, texts);
    const int wanted = number_from_environment("TANDEM_CHAOS_REPLIES", 200);
    int closed = 0;
    for (; !people.done() && people.replies() < wanted && closed < 10 * wanted; ++closed) {
        auto& p = proxy(static_cast<std::size_t>(pick(0, 1)));
        let_pass_up_to(200ms);
        note("CLOSE " + p.url());
        p.close_port();
        let_pass_up_to(300ms);
        p.open_port();
        note("OPEN " + p.url());
    }
    const auto totals = people.finish();
    std::cout << closed << " times closed; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GT(totals.retries, 0);
    expect_nothing_left();
}

TEST_F(proxied_servers, behind_a_bad_network_give_the_same_texts) {
    start_proxied(2, {.seed = seed()});
    const auto texts = undisturbed(service_of(urls()));
    make_network_bad(false);
    const int wanted = number_from_environment("TANDEM_CHAOS_REPLIES", 200);
    const auto totals =
        talkers(impatient_service(), observed(), {.dialogues = wanted, .seed = seed()}, texts)
            .finish();
    std::cout << fault_counts() << "; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GT(totals.retries, 0);
    expect_nothing_left();
}

TEST_F(proxied_servers, behind_a_bad_network_give_a_client_the_same_texts) {
    start_proxied(1, {.seed = seed()});
    auto config = impatient_service().client;
    config.server.url = proxy(0).url();
    const auto texts = undisturbed(client_config(proxy(0).url()));
    make_network_bad(false);
    const int wanted = number_from_environment("TANDEM_CHAOS_REPLIES", 200);
    const auto totals =
        talkers(config, observed(), {.dialogues = wanted, .seed = seed()}, texts).finish();
    std::cout << fault_counts() << "; " << totals.to_string() << "\n";
    expect_all_right(totals);
    EXPECT_GT(totals.retries, 0);
    expect_nothing_left();
}

// The texts are not compared, because the proxies corrupt them. In a network, TCP would prevent
// this.
TEST_F(proxied_servers, whose_bytes_are_corrupted_do_no_lasting_harm) {
    start_proxied(2, {.seed = seed()});
    const auto texts = undisturbed(service_of(urls()));
    make_network_bad(true);
    const int wanted = number_from_environment("TANDEM_CHAOS_REPLIES", 200);
    const auto totals =
        talkers(impatient_service(), observed(), {.dialogues = wanted, .seed = seed()}, texts)
            .finish();
    std::cout << fault_counts() << "; " << totals.to_string() << "\n";
    EXPECT_EQ(totals.hanging, 0);
    EXPECT_GT(fault_total(connection_fault::corrupt), 0);
    expect_nothing_left();
    make_network_good();
    expect_all_right(talkers(service_of(urls()), observed(), {.dialogues = 51}, texts).finish());
}

}  // namespace
}  // namespace tandem::testing
