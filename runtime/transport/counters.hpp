// What a transport counts. Written by its thread and by senders, read by anyone.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace hadar {

struct TransportCounters {
  std::atomic<std::uint64_t> frames_refused{0};      // bytes that are no message, or come over no link
  std::atomic<std::uint64_t> handshakes_refused{0};  // hellos we turned down
  std::atomic<std::uint64_t> refused_by_peer{0};     // our hellos turned down
  std::atomic<std::uint64_t> peers_up{0};            // now
  std::atomic<std::uint64_t> peers_lost{0};          // went down, for whatever cause
  std::atomic<std::uint64_t> packets_in{0};
  std::atomic<std::uint64_t> packets_out{0};
  std::atomic<std::uint64_t> sends_overloaded{0};
  std::atomic<std::uint64_t> sends_unreachable{0};
  std::atomic<std::uint64_t> sends_dropped{0};  // accepted, then their peer went down
  std::atomic<std::uint64_t> stalls{0};         // this process was frozen or starved; silences during it do not count

  [[nodiscard]] std::map<std::string, std::uint64_t> snapshot() const {
    return {{"frames_refused", frames_refused},
            {"handshakes_refused", handshakes_refused},
            {"refused_by_peer", refused_by_peer},
            {"peers_up", peers_up},
            {"peers_lost", peers_lost},
            {"packets_in", packets_in},
            {"packets_out", packets_out},
            {"sends_overloaded", sends_overloaded},
            {"sends_unreachable", sends_unreachable},
            {"sends_dropped", sends_dropped},
            {"stalls", stalls}};
  }
};

}  // namespace hadar
