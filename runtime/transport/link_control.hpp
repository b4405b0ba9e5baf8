// What a transport decides: who is linked, who is down, what is passed on. Knows no sockets and no clock, so that every
// case can be tried in a test. Private to this room.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "messages/types/envelope.hpp"
#include "runtime/transport/frames.hpp"
#include "runtime/transport/link_table.hpp"
#include "runtime/transport/transport.hpp"
#include "runtime/transport/transport_options.hpp"

namespace hadar {

// The sockets as LinkControl sees them.
class LinkWire {
 public:
  virtual ~LinkWire() = default;
  // Never waits.
  virtual SendOutcome send(const LinkKey& key, const Outgoing& packet) = 0;
  // Gives the connection to `endpoint` up and starts a fresh one.
  virtual void reopen(const std::string& endpoint) = 0;
  // Gives the connection to `endpoint` up.
  virtual void close(const std::string& endpoint) = 0;
};

// One thread. Every call passes the time, which never goes back.
class LinkControl {
 public:
  // All references must outlive it.
  LinkControl(const TransportOptions& options, const TransportEvents& events, Outbox& outbox,
              TransportCounters& counters, LinkWire& wire);

  // A message came in over `key`.
  void received(const LinkKey& key, Incoming message, LinkTime now);
  // A packet from our own process. Silently dropped (and counted) when its peer went down meanwhile.
  void send(const std::string& peer, Outgoing packet, LinkTime now);

  // Whether connect() was asked for and disconnect() was not, even if it was refused.
  [[nodiscard]] bool is_dialled(const std::string& endpoint) const { return dials_.contains(endpoint); }
  // connect() was asked for; the wire has begun.
  void dial_opened(const std::string& endpoint, LinkTime now);
  // The bytes flow: say hello.
  void dial_connected(const std::string& endpoint, LinkTime now);
  // The connection broke, or an attempt to make one failed.
  void dial_lost(const std::string& endpoint, LinkTime now);
  // disconnect() was asked for.
  void dial_closed(const std::string& endpoint, LinkTime now);
  // The endpoint can never work.
  void dial_failed(const std::string& endpoint, const Error& why);

  // Pings every inbound link: some connection ended, and this shows which.
  void probe_inbound(LinkTime now);
  // Repeats hellos, pings, finds the silent. To be called at least each tenth of the shortest limit.
  void tick(LinkTime now);
  // Tries again what the wire would not take. Returns whether anything still waits.
  bool flush(LinkTime now);
  // This process did not run for `gap`: what it did not hear meanwhile proves nothing.
  void forgive(LinkClock::duration gap);
  // Tells linked peers our new directory, and later ones in the handshake.
  void set_directory(const std::map<std::string, std::string>& directory, LinkTime now);
  // Says goodbye on every link. No event follows.
  void stop();

 private:
  enum class DialState { kHello, kChecking, kUp, kRefused };
  struct Dial {
    DialState state = DialState::kHello;
    bool connected = false;
    LinkTime opened;  // of the present connection
    LinkTime last_hello;
  };
  // The holder of a name was asked whether it lives, since a newcomer wants that name.
  struct Challenge {
    LinkKey newcomer;
    PeerInfo info;
    std::uint64_t nonce = 0;
    LinkTime deadline;
  };

  void on_hello(const LinkKey& key, const Incoming& message, LinkTime now);
  void on_welcome(const LinkKey& key, const Incoming& message, LinkTime now);
  void on_refused(const LinkKey& key, const Incoming& message);
  void on_ping(const LinkKey& key, const Incoming& message);
  void on_pong(const LinkKey& key, const Incoming& message, LinkTime now);
  void on_bye(const LinkKey& key, const Incoming& message, LinkTime now);
  void on_packet(const LinkKey& key, Envelope envelope, Incoming message, LinkTime now);

  // Gives a process that passed the rules its link, or first finds out whether its name is free.
  void admit(const LinkKey& key, const PeerInfo& info, LinkTime now);
  void challenge(const LinkKey& key, const PeerInfo& info, LinkTime now);
  void establish(const LinkKey& key, const PeerInfo& info, LinkTime now);
  void turn_down(const LinkKey& key, const Error& why);
  void settle_challenges(const std::string& free_name, LinkTime now);
  void expire_challenges(LinkTime now);

  // `lost`: packets may be missing, so the peer goes down even if another link is left (and comes up again over it).
  void drop_link(const LinkKey& key, const Error& why, bool lost, LinkTime now);
  void drop_peer(const std::string& name, const Error& why, LinkTime now);
  // A fresh connection and handshake.
  void redial(const std::string& endpoint, LinkTime now);
  void went_down(const std::string& name, std::size_t backlog, const Error& why);
  void came_up(Peer& peer);
  bool push_out(const std::string& name, LinkTime now);

  void refuse_frame(const LinkKey& key, bool answer);
  void say_hello(const std::string& endpoint, Dial& dial, LinkTime now);
  SendOutcome ping(const LinkKey& key, std::uint64_t nonce, LinkTime now);
  template <class Message>
  SendOutcome tell(const LinkKey& key, const Message& message);

  TransportOptions options_;
  const TransportEvents& events_;
  Outbox& outbox_;
  TransportCounters& counters_;
  LinkWire& wire_;
  LinkTable table_;
  std::unordered_map<std::string, Dial> dials_;
  std::vector<Challenge> challenges_;
  std::uint64_t next_nonce_ = 1;
};

}  // namespace hadar
