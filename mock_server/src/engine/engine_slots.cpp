#include "answers/json_text.hpp"
#include "engine/engine.hpp"

namespace tandem::mock {

void engine::exchange_conversation(slot& s, const completion_request& r) {
    if (!host_cache_.is_on() || !must_search_host_cache(s, r.id_slot, r.prompt)) return;
    add_copy_time(host_cache_.save(s));
    add_copy_time(host_cache_.load(s, r.prompt));
    host_cache_.drop_copies_beyond_context();
}

// As in the server, the starting request has already searched for its own copy, so these copies
// cannot displace it.
void engine::save_idle_slots(const slot& starting) {
    if (!host_cache_.is_on() || !options_.cache_idle_slots) return;
    for (slot& s : pool_.all()) {
        if (s.is_processing() || &s == &starting) continue;
        add_copy_time(host_cache_.save(s));
        host_cache_.drop_copies_beyond_context();
        if (!options_.kv_unified) continue;
        s.clear();
        journal_.record_slot_content(s.id, 0);
    }
}

void engine::add_copy_time(bool copied) {
    if (copied) copying_ += nanoseconds(options_.conversation_change) / 2;
}

void engine::act_on_slot(task& t, time_point now) {
    slot& s = pool_.slot_at_wrapped_id(t.request.id_slot);
    if (s.is_processing()) return deferred_.defer(t.id, -1);
    switch (t.kind) {
        case task_kind::save:
            return save(t, s, now);
        case task_kind::restore:
            return restore(t, s, now);
        default:
            return erase(t, s, now);
    }
}

void engine::erase(task& t, slot& s, time_point now) {
    const std::size_t erased = s.tokens.size();
    s.clear();
    journal_.record_slot_content(s.id, 0);
    answer(t, json_text({{"id_slot", t.request.id_slot}, {"n_erased", erased}}), now);
}

void engine::save(task& t, slot& s, time_point now) {
    if (!files_.save(t.file, s)) return fail(t, make_error(500, "Unable to save slot"), now);
    answer(t,
           json_text({{"id_slot", t.request.id_slot},
                      {"filename", t.file},
                      {"n_saved", s.tokens.size()},
                      {"n_written", file_size(s.tokens.size())},
                      {"timings", {{"save_ms", 0.0}}}}),
           now);
}

void engine::restore(task& t, slot& s, time_point now) {
    const bool restored = files_.restore(t.file, s);
    journal_.record_slot_content(s.id, static_cast<int>(s.tokens.size()));
    if (!restored)
        return fail(t,
                    make_error(400,
                               "Unable to restore slot: No available space in KV cache or "
                               "invalid slot save file"),
                    now);
    answer(t,
           json_text({{"id_slot", t.request.id_slot},
                      {"filename", t.file},
                      {"n_restored", s.tokens.size()},
                      {"n_read", file_size(s.tokens.size())},
                      {"timings", {{"restore_ms", 0.0}}}}),
           now);
}

void engine::answer(task& t, std::string json, time_point now) {
    send(t, output_kind::reply, std::move(json), now);
    finish(t, outcome::complete, now);
}

}  // namespace tandem::mock
