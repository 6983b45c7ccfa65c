#pragma once

#include "server/server_calls.hpp"
#include "server/template_marks.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::server {

/// Learns the marks of a server's chat template once. Not thread-safe.
class template_marks_loader {
 public:
    using handler = std::function<void(error_code, const diagnostics&, const template_marks&)>;

    /// `reasoning` lists the tags of reasoning, which the marks do not include.
    explicit template_marks_loader(std::vector<tag_pair> reasoning)
        : reasoning_(std::move(reasoning)) {}

    /// Passes the marks to `done`, immediately if they are known. All waiting callers get the same
    /// answer. If the template rejects the probes, or the server has no templates, the marks are
    /// empty. Any other failure is an error, and the next call tries again. No handler is called
    /// after `calls` is destroyed.
    void load(server_calls& calls, handler done);
    /// Like load(), but only for the marks around words. Sends one probe, and repeats it once after
    /// a 500. If the server rejects the probe, or answers 500 twice, there are no marks until the
    /// template changes.
    void load_words(server_calls& calls, handler done);
    /// Sets the template that renders the next probes, and drops the marks of any other template.
    void use_template(const server_props& props);
    /// Drops the marks, and the handlers without calling them.
    void forget() noexcept;

 private:
    struct named_template {
        std::string model{};
        std::string text{};
        std::string end_token{};

        bool operator==(const named_template&) const = default;
    };

    /// Marks, once they are known, and the handlers that wait for them.
    struct wanted_marks {
        std::optional<template_marks> known{};
        std::vector<handler> waiting{};

        /// Calls `done` immediately if the marks are known, otherwise in finish(). Returns true if
        /// the caller must request the marks.
        bool add_handler(handler done);
        /// Passes the result to the waiting handlers, which may destroy the loader.
        void finish(error_code ec, const diagnostics& diag, const template_marks& marks);
    };

    void render_next(server_calls& calls);
    void on_rendered(server_calls& calls, error_code ec, const diagnostics& diag,
                     std::string prompt);
    void find_end_token(server_calls& calls, template_marks marks);
    void finish(error_code ec, const diagnostics& diag, const template_marks& marks = {});

    std::vector<tag_pair> reasoning_;
    named_template template_;
    wanted_marks call_;
    wanted_marks words_;
    // The template of the probes that are being rendered, and the prompts so far.
    named_template probed_;
    std::vector<std::string> prompts_;
};

}  // namespace tandem::server
