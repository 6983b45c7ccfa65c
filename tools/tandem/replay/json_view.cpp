#include "replay/json_view.hpp"

#include "replay/json_lines.hpp"

namespace tandem::command {

template <class Event>
void json_view::print(Event e) {
    if (!tells_servers_) e.server = {};
    terminal_.print(json_line(e));
}

void json_view::chunk_came(const chunk_event& e) {
    print(e);
}

void json_view::ended(const end_event& e) {
    print(e);
}

void json_view::failed(const fault_event& e) {
    print(e);
}

void json_view::finished(const replay_summary& s) {
    terminal_.print(json_line(s));
}

}  // namespace tandem::command
