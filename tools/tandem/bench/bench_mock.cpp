#include "bench/bench_mock.hpp"

#include "tandem_mock/server.hpp"

namespace tandem::command {
namespace {

constexpr int context_of_a_slot = 8192;

mock::options options_of(int slots, double tokens_per_second) {
    mock::options o;
    o.parallel = slots;
    o.ctx_size = slots * context_of_a_slot;
    o.tokens_per_second = tokens_per_second;
    return o;
}

void add_cuts(const mock::server& server, std::vector<observed_cut>& found) {
    const auto url = server.url();
    for (const auto& r : server.observe().requests)
        if (r.outcome == mock::outcome::cut && r.client_gone && r.slot >= 0)
            found.push_back({url, r.slot, r.arrived, *r.client_gone});
}

}  // namespace

class bench_mock::servers {
 public:
    std::vector<std::unique_ptr<mock::server>> all;
    int slots_each = 0;
};

bool has_mock() noexcept {
    return true;
}

bench_mock::bench_mock(int slots, double tokens_per_second)
    : servers_(std::make_unique<servers>()) {
    const int count = (slots + max_slots - 1) / max_slots;
    servers_->slots_each = (slots + count - 1) / count;
    for (int i = 0; i < count; ++i)
        servers_->all.push_back(
            std::make_unique<mock::server>(options_of(servers_->slots_each, tokens_per_second)));
}

bench_mock::~bench_mock() = default;

std::vector<std::string> bench_mock::urls() const {
    std::vector<std::string> list;
    for (const auto& s : servers_->all) list.push_back(s->url());
    return list;
}

int bench_mock::slots() const noexcept {
    return servers_->slots_each * static_cast<int>(servers_->all.size());
}

std::vector<observed_cut> bench_mock::cuts() const {
    std::vector<observed_cut> found;
    for (const auto& s : servers_->all) add_cuts(*s, found);
    return found;
}

}  // namespace tandem::command
