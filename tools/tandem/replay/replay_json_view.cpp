#include "replay/replay_json_view.hpp"

#include "replay/replay_json.hpp"

namespace tandem::command {

template <class Event>
void replay_json_view::print(Event e) {
    if (!tells_servers_) e.server = {};
    terminal_.print(json_line(e));
}

void replay_json_view::chunk_came(const chunk_event& e) {
    print(e);
}

void replay_json_view::ended(const end_event& e) {
    print(e);
}

void replay_json_view::failed(const fault_event& e) {
    print(e);
}

void replay_json_view::finished(const replay_summary& s) {
    terminal_.print(json_line(s));
}

}  // namespace tandem::command
