#include "recording/traffic_writer.hpp"

#include "recording/prompt_redaction_json.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/completion_reader.hpp"

namespace tandem::detail {

traffic_writer::traffic_writer(recorder::sink to, recorder_options options, time_point now,
                               std::string began)
    : to_(std::move(to)), options_(options), began_(now) {
    write(now, wire::recording_start{std::move(began), options_.prompts});
}

// An exception from the sink must not escape from a callback of the transport.
void traffic_writer::write(time_point now, wire::recording_entry entry) try {
    if (is_full_) return;
    auto line = wire::format_recording_line({now - began_, std::move(entry)});
    const auto bytes = bytes_ + line.size() + 1;
    // A recording needs its first line, which is therefore written regardless of its size.
    is_full_ = bytes_ > 0 && bytes > options_.max_bytes;
    bytes_ = bytes;
    to_(is_full_ ? wire::format_recording_line({now - began_, wire::recording_full{}}) : line);
} catch (...) {
    is_full_ = true;  // a line is missing, so later lines would mislead
}

wire::recorded_request traffic_writer::describe_request(const std::string& server,
                                                        const transport::http_request& request) {
    auto place = request.reply_key;
    if (place) {
        const auto next = replies_.size() + 1;
        place->reply =
            replies_.try_emplace({place->scope_number, place->reply}, next).first->second;
    }
    return {.number = ++requests_,
            .server = server,
            .method = request.method,
            .path = request.path,
            .body = options_.prompts ? request.body
                                     : wire::remove_request_prompts(request.path, request.body),
            .reply_key = place};
}

std::uint64_t traffic_writer::record_request(time_point now, const std::string& server,
                                             const transport::http_request& request) {
    const std::scoped_lock lock(mutex_);
    if (is_full_) return ++requests_;
    auto entry = describe_request(server, request);
    const auto number = entry.number;
    if (!options_.prompts && wire::path_carries_prompts(request.path))
        withheld_[number].path = request.path;
    write(now, std::move(entry));
    return number;
}

void traffic_writer::record_status(time_point now, std::uint64_t request, int http_status) {
    const std::scoped_lock lock(mutex_);
    const auto found = withheld_.find(request);
    if (found != withheld_.end())
        found->second.is_stream =
            found->second.path == wire::completion_path && http_status == wire::http_ok;
    write(now, wire::recorded_status{request, http_status});
}

void traffic_writer::record_bytes(time_point now, std::uint64_t request, std::string_view bytes) {
    const std::scoped_lock lock(mutex_);
    const auto found = withheld_.find(request);
    if (found == withheld_.end())
        return write(now, wire::recorded_bytes{request, std::string(bytes)});
    // Bytes beyond this limit are dropped: tandem does not read a larger answer either.
    auto& body = found->second.body;
    body.append(bytes.substr(0, wire::max_answer_bytes - body.size()));
    if (found->second.is_stream) write_lines(now, request, body);
}

// Writes the complete lines and keeps the remainder.
void traffic_writer::write_lines(time_point now, std::uint64_t request, std::string& body) {
    std::string kept;
    std::size_t begin = 0;
    for (auto end = body.find('\n'); end != std::string::npos; end = body.find('\n', begin)) {
        kept +=
            wire::remove_stream_line_prompts(std::string_view(body).substr(begin, end + 1 - begin));
        begin = end + 1;
    }
    body.erase(0, begin);
    if (!kept.empty()) write(now, wire::recorded_bytes{request, std::move(kept)});
}

void traffic_writer::write_withheld(time_point now, std::uint64_t request) {
    const auto found = withheld_.find(request);
    if (found == withheld_.end()) return;
    // Drops the partial last line of a broken stream, which may contain part of a prompt.
    auto body = found->second.is_stream
                    ? std::string()
                    : wire::remove_answer_prompts(found->second.path, found->second.body);
    withheld_.erase(found);
    if (!body.empty()) write(now, wire::recorded_bytes{request, std::move(body)});
}

void traffic_writer::record_end(time_point now, std::uint64_t request, error_code ec,
                                const diagnostics& diag) {
    const std::scoped_lock lock(mutex_);
    write_withheld(now, request);
    write(now, wire::recorded_end{request, ec, diag.client_message});
}

void traffic_writer::record_cut(time_point now, std::uint64_t request) {
    const std::scoped_lock lock(mutex_);
    withheld_.erase(request);
    write(now, wire::recorded_cut{request});
}

void traffic_writer::record_note(time_point now, std::string_view json) {
    if (!wire::is_valid_note(json)) return;
    const std::scoped_lock lock(mutex_);
    write(now, wire::recorded_note{std::string(json)});
}

}  // namespace tandem::detail
