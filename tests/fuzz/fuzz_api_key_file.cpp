#include "fuzzing.hpp"
#include "gateway/access/api_key_file.hpp"
#include "text/characters/utf8.hpp"

#include <set>
#include <string>

// A refused key file gives error messages and changes nothing. An accepted key file gives distinct
// keys. Each key has valid limits and at least one right.
namespace {

using namespace tandem;
using namespace tandem::gateway;

constexpr std::size_t max_faults = 101;  // an upper bound; the reader reports 100 faults at most
constexpr std::int64_t max_requests = 1'000'000;
constexpr std::int64_t max_token_count = 1'000'000'000;

void require_refused(const std::vector<config_fault>& faults, const api_keys& keys) {
    fuzzing::require(faults.size() <= max_faults && keys.all().size() == 1);
    for (const auto& f : faults) {
        fuzzing::require(!f.message.empty() && f.message.size() < 1024);
        fuzzing::require(text::find_invalid_utf8(f.field + f.message) == std::string::npos);
    }
}

bool is_within(std::int64_t value, std::int64_t most) {
    return value >= 0 && value <= most;
}

void require_right(const api_key& k) {
    fuzzing::require(!k.name.empty() && k.name.size() <= 64 && k.name != anonymous_name);
    for (const char c : k.name) fuzzing::require(c >= 0x20 && c < 0x7f);
    fuzzing::require(is_within(k.requests_per_minute, max_requests));
    fuzzing::require(is_within(k.concurrent, max_requests));
    fuzzing::require(is_within(k.tokens_per_minute, max_token_count));
    fuzzing::require(!to_string(k.priority).empty());
    for (const auto& m : k.models) fuzzing::require(!m.empty());
    fuzzing::require(k.rights.contains(right::generate) || k.rights.contains(right::read) ||
                     k.rights.contains(right::metrics) || k.rights.contains(right::admin));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const fuzzing::input in(data, size);
    api_keys keys({api_key{.name = "before"}});
    const auto faults = parse_api_keys(in.rest(), keys);
    if (!faults.empty()) {
        require_refused(faults, keys);
        return 0;
    }
    fuzzing::require(keys.all().size() <= max_keys);
    std::set<std::string> names;
    std::set<key_hash> hashes;
    for (const auto& k : keys.all()) {
        require_right(k);
        fuzzing::require(names.insert(k.name).second && hashes.insert(k.sha256).second);
    }
    return 0;
}
