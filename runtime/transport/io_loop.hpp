// The one thread that owns a process's sockets. Private to this room.
#pragma once

#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
#include <zmq.hpp>

#include "runtime/transport/link_control.hpp"
#include "runtime/transport/socket_watch.hpp"

namespace hadar {

// Sets every option of the listening socket; before it is bound.
void configure_router(zmq::socket_t& router, const TransportOptions& options);

class IoLoop final : private LinkWire {
 public:
  // `router` may be empty: the process does not listen. The references must outlive the loop.
  IoLoop(zmq::context_t& context, zmq::socket_t router, const TransportOptions& options, const TransportEvents& events,
         Outbox& outbox, TransportCounters& counters);
  ~IoLoop() override;

  // Runs until a Stop command; to be called once, on the loop's own thread.
  void run();

 private:
  // One connect(): a DEALER and the watch over its connection.
  struct Dealer {
    std::string endpoint;
    zmq::socket_t socket;
    std::unique_ptr<SocketWatch> watch;
    bool readable = false;
    bool watch_readable = false;
    bool retired = false;
  };

  SendOutcome send(const LinkKey& key, const Outgoing& packet) override;
  void reopen(const std::string& endpoint) override;
  void close(const std::string& endpoint) override;

  // Errors: errno of zmq_connect; 0 when it began.
  int open(const std::string& endpoint);
  void connect(const std::string& endpoint);
  void handle(Command& command);
  bool handle_commands();
  // Sleeps until something comes in or is due, and notes which sockets have something to read. When `busy` it only
  // looks.
  void look(bool busy, bool backlog);
  // In its place for a while when there is much to do: just tries all sockets.
  void assume_readable();
  // These return whether they found anything.
  bool read_router();
  bool read_dealers();
  bool read_dealer(Dealer& dealer);
  void notice_stall();
  void tick_when_due();

  zmq::context_t& context_;
  zmq::socket_t router_;
  std::unique_ptr<SocketWatch> router_watch_;
  const TransportOptions& options_;
  Outbox& outbox_;
  TransportCounters& counters_;
  LinkControl control_;
  FrameLimits limits_;
  std::unordered_map<std::string, std::unique_ptr<Dealer>> dealers_;
  std::vector<std::unique_ptr<Dealer>> retired_;  // closed once nothing of this turn uses them
  std::vector<Command> commands_;
  bool router_readable_ = false;
  bool router_watch_readable_ = false;
  std::uint64_t opened_ = 0;
  LinkClock::duration tick_every_;
  LinkTime now_;
  LinkTime next_tick_;
  LinkTime probe_at_ = LinkTime::max();
  bool stop_ = false;
};

}  // namespace hadar
