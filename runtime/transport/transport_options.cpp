#include "runtime/transport/transport_options.hpp"

namespace hadar {

Status check_options(const TransportOptions& o) {
  using std::chrono::milliseconds;
  const auto wrong = [](const char* text) {
    return fail(ErrorCode::kInvalidArgument, std::string("transport: ") + text);
  };
  if (o.cluster_id.empty() && !o.listen.empty())
    return wrong("cluster_id is empty; every process of a cluster needs the same one");
  if (o.self.name.empty()) return wrong("self.name is empty; every process needs a name of its own");
  if (o.queue_packets == 0 || o.queue_bytes == 0) return wrong("queue_packets and queue_bytes must be positive");
  if (o.max_envelope_bytes == 0 || o.max_body_bytes == 0) return wrong("frame limits must be positive");
  if (o.ping_interval <= milliseconds{0} || o.silence_limit <= o.ping_interval)
    return wrong("silence_limit must be longer than ping_interval, and both positive");
  if (o.hello_interval <= milliseconds{0} || o.handshake_limit <= o.hello_interval)
    return wrong("handshake_limit must be longer than hello_interval, and both positive");
  if (o.name_check_limit <= milliseconds{0}) return wrong("name_check_limit must be positive");
  if (o.linger < milliseconds{0} || o.linger > milliseconds{500}) return wrong("linger must be 0 to 500 ms");
  if (o.reconnect_min <= milliseconds{0} || o.reconnect_max < o.reconnect_min)
    return wrong("reconnect_max must be at least reconnect_min, and both positive");
  return {};
}

}  // namespace hadar
