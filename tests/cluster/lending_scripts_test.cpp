// The scripts change the store as slot_ledger, their C++ counterpart, changes its records.

#include "cluster/lending_commands.hpp"
#include "cluster/store/store_script.hpp"
#include "simulated_store_state.hpp"
#include "store_fixture.hpp"
#include "support/run_settings.hpp"
#include "unit/cluster/slot_ledger.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace tandem::cluster;
using tandem::test::slot_ledger;
using tandem::testing::with_simulated_store_state;

constexpr int slots = 4;
const std::vector<std::string> gateways{"a", "b", "c"};
const std::vector<std::string> keys{"members", "processes", "slots", "wishes"};

std::string show(const store_answer& a) {
    if (a.kind == answer_kind::integer) return std::to_string(a.number);
    std::string all = a.text;
    for (const auto& item : a.items) all += show(item) + " ";
    return all;
}

class lending_scripts : public tandem::testing::store_fixture {
 protected:
    lending_scripts() {
        link.start({});
        messages.set_message_handler(
            [this](const auto&, const auto& text) { heard.push_back(text); });
        messages.subscribe("channel");
        messages.start({});
        EXPECT_TRUE(run_until([&] { return link.is_connected() && messages.is_connected(); }));
        ask(link, {"SET", "run", "1"});
        // Loads the scripts first, so that commands run in their order: an unknown script is sent
        // again, after commands that were sent in the meantime.
        for (const auto* script : {&lease_script, &claim_script, &offer_script})
            ask(link, {"SCRIPT", "LOAD", script->text()});
    }

    std::size_t pick(std::size_t count) { return random() % count; }

    void run(const store_script& script, std::vector<std::string> arguments, std::string expected) {
        ++running;
        link.run({"SET", "clock", std::to_string(now)}, [](const auto&) {});
        const bool renews_lease = &script == &lease_script;
        script.run(link,
                   renews_lease
                       ? std::vector<std::string>{"members", "processes", "drains", "loads"}
                       : keys,
                   arguments, [this, arguments, expected, at = now](const auto& answer) {
                       --running;
                       if (!answer || show(*answer) != expected) {
                           ++differences;
                           ADD_FAILURE()
                               << "at " << at << ": " << testing::PrintToString(arguments) << ": "
                               << (answer ? show(*answer) : "none") << " instead of " << expected;
                       }
                   });
    }

    std::string name_process(const std::string& gateway) {
        return gateway + (pick(10) == 0 ? "-other" : "-usual");
    }

    void lose_connection(const std::string& process) {
        ledger.hang_up(process);
        link.run({"SET", "gone:" + process, "1"}, [](const auto&) {});
    }
    void connect_again(const std::string& process) {
        ledger.connect(process);
        link.run({"DEL", "gone:" + process}, [](const auto&) {});
    }
    void fail_over() {
        ledger.fail_over();
        link.run({"INCR", "run"}, [](const auto&) {});
    }

    void renew_lease(const std::string& gateway) {
        const auto process = name_process(gateway);
        const int lease = pick(10) == 0 ? 0 : 3000;
        const auto answer = ledger.renew_lease(now, gateway, process, lease);
        run(lease_script, {gateway, process, std::to_string(lease), "{}"},
            std::to_string(answer.was_known) + " " + std::to_string(answer.missing) + " " +
                std::to_string(answer.members) + "  {} ");
    }

    void claim(const std::string& gateway) {
        std::optional<slot_ledger::wish> wish;
        if (pick(3) > 0)
            wish = {pick(2) == 0 ? "turn" : "continuation", std::int64_t(pick(5000)) - 1000};
        std::vector<slot_ledger::told_slot> held;
        for (const auto& l : known[gateway])
            if (pick(10) > 0) held.push_back({l.slot, l.number, std::int64_t(pick(100)) - 1});
        std::vector<std::string> arguments{gateway, "channel", std::to_string(slots),
                                           wish ? wish->kind : "",
                                           std::to_string(wish ? wish->due_in : 0)};
        for (const auto& s : held)
            for (const auto& word :
                 {std::to_string(s.slot), std::to_string(s.number), std::to_string(s.unused)})
                arguments.push_back(word);
        std::string expected;
        known[gateway] = ledger.claim(now, gateway, slots, wish, held);
        for (const auto& l : known[gateway])
            expected += std::to_string(l.slot) + " " + std::to_string(l.number) + " " +
                        std::to_string(l.unused) + " " + std::to_string(int{l.is_doubtful}) + " ";
        run(claim_script, std::move(arguments), expected);
    }

    void offer(const std::string& gateway) {
        auto& loans = known[gateway];
        slot_ledger::told_slot s{int(pick(slots)), pick(100), std::int64_t(pick(100)) - 1};
        if (!loans.empty() && pick(10) > 0) {
            const auto place = loans.begin() + std::ptrdiff_t(pick(loans.size()));
            s = {place->slot, place->number, s.unused};
            loans.erase(place);
        }
        const bool is_leaving = pick(5) == 0;
        const bool is_gone = ledger.offer(now, gateway, s, is_leaving);
        run(offer_script,
            {gateway, "channel", std::to_string(s.slot), std::to_string(s.number),
             std::to_string(s.unused), is_leaving ? "1" : "0"},
            is_gone ? "1" : "0");
    }

    void act() {
        now += std::int64_t(pick(400));
        const auto& gateway = gateways[pick(gateways.size())];
        if (pick(200) == 0) fail_over();
        if (pick(30) == 0) lose_connection(name_process(gateway));
        if (pick(20) == 0) connect_again(name_process(gateway));
        switch (pick(4)) {
            case 0:
                return renew_lease(gateway);
            case 1:
                return offer(gateway);
            default:
                return claim(gateway);
        }
    }

    store_link link{loop.get_executor(), options(), {}};
    store_link messages{loop.get_executor(), options(), {}};
    store_script lease_script = with_simulated_store_state(scripts::renew_lease());
    store_script claim_script = with_simulated_store_state(scripts::claim_slots());
    store_script offer_script = with_simulated_store_state(scripts::offer_slot());
    slot_ledger ledger;
    std::map<std::string, std::vector<slot_ledger::loan_record>> known;
    std::vector<std::string> heard;
    std::mt19937_64 random{1};
    std::int64_t now = 1'000'000;
    int running = 0;
    int differences = 0;
};

TEST_F(lending_scripts, do_what_the_ledger_does) {
    const auto steps =
        static_cast<int>(tandem::test::number_from_environment("TANDEM_SCRIPT_STEPS", 20'000));
    std::vector<std::string> expected;
    for (int i = 0; i < steps && differences == 0; ++i) {
        act();
        for (auto& m : ledger.take_messages()) expected.push_back(std::move(m));
        const bool is_pause = i % 100 == 0;
        ASSERT_TRUE(!is_pause || run_until([&] { return running == 0; }));
    }
    ASSERT_TRUE(run_until([&] { return running == 0 && heard.size() >= expected.size(); }));
    EXPECT_EQ(heard, expected);
    EXPECT_GT(expected.size(), std::size_t(steps / 10));
}

TEST_F(lending_scripts, tell_each_gateway_the_load_of_the_others_that_have_a_lease) {
    const auto renew_lease = [this](const std::string& gateway, int lease,
                                    const std::string& load) {
        std::optional<shared_load> elsewhere;
        link.run({"SET", "clock", std::to_string(now)}, [](const auto&) {});
        lease_script.run(link, {"members", "processes", "drains", "loads"},
                         {gateway, gateway, std::to_string(lease), load}, [&](const auto& a) {
                             elsewhere = read_lease_renewal(a).value_or(lease_renewal{}).elsewhere;
                         });
        EXPECT_TRUE(run_until([&] { return elsewhere.has_value(); }));
        return elsewhere.value_or(shared_load{});
    };
    renew_lease("a", 3000, R"({"x":1.5,"y":null,"z":{"x":1}})");
    EXPECT_EQ(renew_lease("b", 3000, R"({"x":2,"y":4})"), (shared_load{{"x", 1.5}}));
    EXPECT_EQ(renew_lease("a", 0, "{}"), (shared_load{{"x", 2}, {"y", 4}}));
    EXPECT_EQ(renew_lease("c", 3000, R"({"x":1})"), (shared_load{{"x", 2}, {"y", 4}}));
    now += 3001;
    EXPECT_EQ(renew_lease("a", 3000, R"({"x":1})"), shared_load{});
    EXPECT_EQ(ask(link, {"HLEN", "loads"})->number, 1);
}

}  // namespace
