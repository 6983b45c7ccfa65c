#pragma once

#include "cluster/store/store_link.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// A Lua script that the store runs. The store identifies a script by the hash of its text, so
/// gateways of different versions may use different texts.
class store_script {
 public:
    explicit store_script(std::string_view text);

    const std::string& text() const noexcept { return text_; }
    /// See store_link::run(). Sends the script's text only if the store does not know its hash. The
    /// script and the link must live until `done` is called.
    void run(store_link& link, std::vector<std::string> keys, std::vector<std::string> arguments,
             store_link::answer_handler done, duration limit = store_link::answer_limit) const;

 private:
    std::string text_;
    std::string hash_;
};

/// The scripts in `src/cluster/scripts`.
namespace scripts {

const store_script& admit_request();
const store_script& renew_lease();
const store_script& claim_slots();
const store_script& set_server_drained();
const store_script& offer_slot();
const store_script& put_session();
const store_script& release_session();
const store_script& take_session();
const store_script& record_usage();

}  // namespace scripts

}  // namespace tandem::cluster
