// Endpoints as options give them.
#pragma once

#include <string_view>

namespace hadar {

// tcp://HOST:PORT (host a name, an IPv4 or [IPv6] address, or *; port 0 to 65535, or *) or ipc://PATH.
bool is_endpoint(std::string_view text);

// Whether only this machine can reach it: ipc, 127.x.x.x, localhost, [::1]. `text` must be an endpoint.
bool is_local(std::string_view text);

}  // namespace hadar
