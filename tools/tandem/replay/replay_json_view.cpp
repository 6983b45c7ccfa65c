#include "replay/replay_json_view.hpp"

#include "replay/replay_json.hpp"

namespace tandem::command {

template <class Event>
void replay_json_view::print(Event e) {
    if (!tells_servers_) e.server = {};
    terminal_.print(json_line(e));
}

void replay_json_view::on_chunk(const chunk_event& e) {
    print(e);
}

void replay_json_view::on_reply_ended(const end_event& e) {
    print(e);
}

void replay_json_view::on_server_failed(const fault_event& e) {
    print(e);
}

void replay_json_view::on_run_finished(const replay_summary& s) {
    terminal_.print(json_line(s));
}

}  // namespace tandem::command
