#include "json_view.hpp"

#include "json_lines.hpp"

namespace tandem::command {

void json_view::chunk_came(const chunk_event& e) {
    terminal_.print(json_line(e));
}

void json_view::ended(const end_event& e) {
    terminal_.print(json_line(e));
}

void json_view::failed(const fault_event& e) {
    terminal_.print(json_line(e));
}

void json_view::finished(const replay_summary& s) {
    terminal_.print(json_line(s));
}

}  // namespace tandem::command
