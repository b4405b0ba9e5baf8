#include "runtime/transport/io_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <signal.h>
#include <utility>

namespace hadar {
namespace {

using std::chrono::milliseconds;

// What ZeroMQ itself keeps for one link, beyond our own queue.
constexpr int kPipePackets = 1000;
// Messages taken from one socket before the others get their turn.
constexpr int kBatch = 256;
// ZeroMQ reports the end of a connection a little before it drops the pipe.
constexpr milliseconds kProbeDelay{20};
constexpr milliseconds kRetryFull{2};
// While busy, sockets are simply tried; asking which have something costs as much as ten tries.
constexpr unsigned kTurnsPerLook = 16;

void set_common(zmq::socket_t& socket, const TransportOptions& options) {
  socket.set(zmq::sockopt::ipv6, true);
  socket.set(zmq::sockopt::sndhwm, kPipePackets);
  socket.set(zmq::sockopt::rcvhwm, kPipePackets);
  const std::size_t largest = std::max({options.max_envelope_bytes, options.max_body_bytes, options.max_payload_bytes});
  socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(largest));
  socket.set(zmq::sockopt::handshake_ivl, static_cast<int>(options.handshake_limit.count()));
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, 30);
}

LinkClock::duration tick_interval(const TransportOptions& options) {
  const milliseconds shortest =
      std::min({options.ping_interval, options.hello_interval, options.name_check_limit, options.silence_limit});
  return std::clamp(shortest / 4, milliseconds{5}, milliseconds{100});
}

}  // namespace

void configure_router(zmq::socket_t& router, const TransportOptions& options) {
  set_common(router, options);
  router.set(zmq::sockopt::router_mandatory, true);
  router.set(zmq::sockopt::linger, static_cast<int>(options.linger.count()));
}

IoLoop::IoLoop(zmq::context_t& context, zmq::socket_t router, const TransportOptions& options,
               const TransportEvents& events, Outbox& outbox, TransportCounters& counters)
    : context_(context),
      router_(std::move(router)),
      options_(options),
      outbox_(outbox),
      counters_(counters),
      control_(options, events, outbox, counters, *this),
      limits_{options.max_envelope_bytes, options.max_body_bytes, options.max_payload_bytes},
      tick_every_(tick_interval(options)),
      now_(LinkClock::now()),
      next_tick_(now_ + tick_every_) {
  if (router_) router_watch_ = std::make_unique<SocketWatch>(context_, router_, "router");
}

IoLoop::~IoLoop() = default;

void IoLoop::run() {
  // Signals are for the threads that wait for them.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  bool busy = false;
  bool backlog = false;
  for (unsigned turn = 0; !stop_; ++turn) {
    if (busy && turn % kTurnsPerLook != 0)
      assume_readable();
    else
      look(busy, backlog);
    notice_stall();
    busy = handle_commands();
    busy = read_dealers() || busy;
    busy = read_router() || busy;
    backlog = control_.flush(now_);
    tick_when_due();
    retired_.clear();
  }
  control_.stop();
}

void IoLoop::look(bool busy, bool backlog) {
  std::vector<zmq_pollitem_t> items;
  std::vector<bool*> readable;
  const auto add = [&](void* socket, int descriptor, bool* flag) {
    items.push_back({socket, descriptor, ZMQ_POLLIN, 0});
    readable.push_back(flag);
  };
  bool rung = false;
  add(nullptr, outbox_.wake_fd(), &rung);
  if (router_) {
    add(router_.handle(), 0, &router_readable_);
    add(router_watch_->handle(), 0, &router_watch_readable_);
  }
  for (const auto& [endpoint, dealer] : dealers_) {
    add(dealer->socket.handle(), 0, &dealer->readable);
    add(dealer->watch->handle(), 0, &dealer->watch_readable);
  }
  const bool sleeps = !busy && outbox_.go_to_sleep();
  auto timeout = milliseconds{0};
  if (sleeps) {
    timeout = std::chrono::ceil<milliseconds>(std::max(next_tick_ - LinkClock::now(), LinkClock::duration::zero()));
    if (backlog) timeout = std::min(timeout, kRetryFull);
  }
  // EINTR only means an early turn.
  const int found = zmq_poll(items.data(), static_cast<int>(items.size()), timeout.count());
  if (sleeps) outbox_.wake_up();
  for (std::size_t i = 0; i < items.size(); ++i) *readable[i] = found > 0 && (items[i].revents & ZMQ_POLLIN) != 0;
}

void IoLoop::assume_readable() {
  router_readable_ = static_cast<bool>(router_);
  for (const auto& [endpoint, dealer] : dealers_) dealer->readable = true;
}

bool IoLoop::handle_commands() {
  outbox_.take(commands_);
  const bool any = !commands_.empty();
  for (Command& command : commands_) handle(command);
  commands_.clear();
  return any;
}

// A frozen or starved process finds everybody silent when it runs again; that silence is its own.
void IoLoop::notice_stall() {
  const LinkTime before = std::exchange(now_, LinkClock::now());
  const auto gap = now_ - before;
  if (gap < tick_every_ + options_.silence_limit / 4) return;
  ++counters_.stalls;
  control_.forgive(gap);
}

void IoLoop::tick_when_due() {
  if (now_ >= probe_at_) {
    probe_at_ = LinkTime::max();
    control_.probe_inbound(now_);
  }
  if (now_ < next_tick_) return;
  next_tick_ = now_ + tick_every_;
  control_.tick(now_);
}

void IoLoop::handle(Command& command) {
  if (auto* send_it = std::get_if<command::Send>(&command)) {
    control_.send(send_it->peer, std::move(send_it->packet), now_);
  } else if (auto* dial = std::get_if<command::Connect>(&command)) {
    connect(dial->endpoint);
  } else if (auto* hang_up = std::get_if<command::Disconnect>(&command)) {
    control_.dial_closed(hang_up->endpoint, now_);
  } else if (auto* told = std::get_if<command::SetDirectory>(&command)) {
    control_.set_directory(told->directory, now_);
  } else {
    stop_ = true;
  }
}

void IoLoop::connect(const std::string& endpoint) {
  if (control_.is_dialled(endpoint)) return;
  control_.dial_opened(endpoint, now_);
  if (const int error = open(endpoint); error != 0)
    control_.dial_failed(endpoint,
                         {ErrorCode::kInvalidArgument, "cannot connect to " + endpoint + ": " + zmq_strerror(error) +
                                                           "; use tcp://HOST:PORT or ipc://PATH"});
}

int IoLoop::open(const std::string& endpoint) try {
  auto dealer = std::make_unique<Dealer>();
  dealer->endpoint = endpoint;
  dealer->socket = zmq::socket_t(context_, zmq::socket_type::dealer);
  set_common(dealer->socket, options_);
  // Not ZMQ_IMMEDIATE: with it the end of a connection throws away what was received but not yet read, such as a
  // goodbye. Nothing piles up all the same, since we are silent until the connection is there.
  dealer->socket.set(zmq::sockopt::immediate, false);
  dealer->socket.set(zmq::sockopt::linger, static_cast<int>(options_.linger.count()));
  dealer->socket.set(zmq::sockopt::reconnect_ivl, static_cast<int>(options_.reconnect_min.count()));
  dealer->socket.set(zmq::sockopt::reconnect_ivl_max, static_cast<int>(options_.reconnect_max.count()));
  dealer->watch = std::make_unique<SocketWatch>(context_, dealer->socket, std::to_string(++opened_));
  if (zmq_connect(dealer->socket.handle(), endpoint.c_str()) != 0) return zmq_errno();
  dealers_[endpoint] = std::move(dealer);
  return 0;
} catch (const zmq::error_t& error) {  // out of descriptors
  return error.num();
}

void IoLoop::reopen(const std::string& endpoint) {
  if (const auto found = dealers_.find(endpoint); found != dealers_.end())
    found->second->socket.set(zmq::sockopt::linger, 0);
  close(endpoint);
  // It was a valid endpoint before; should the system refuse now, the next handshake limit tries again.
  (void)open(endpoint);
}

void IoLoop::close(const std::string& endpoint) {
  const auto found = dealers_.find(endpoint);
  if (found == dealers_.end()) return;
  found->second->retired = true;
  retired_.push_back(std::move(found->second));
  dealers_.erase(found);
}

SendOutcome IoLoop::send(const LinkKey& key, const Outgoing& packet) {
  if (key.side == LinkSide::kInbound) return send_message(router_, key.id, packet);
  const auto dealer = dealers_.find(key.id);
  return dealer == dealers_.end() ? SendOutcome::kGone : send_message(dealer->second->socket, {}, packet);
}

bool IoLoop::read_router() {
  LinkKey key{LinkSide::kInbound, {}};
  Incoming message;
  int taken = 0;
  while (router_readable_ && taken < kBatch && receive_message(router_, true, limits_, key.id, message)) {
    control_.received(key, std::move(message), now_);
    ++taken;
  }
  router_readable_ = false;
  if (!std::exchange(router_watch_readable_, false)) return taken > 0;
  const WatchNews news = router_watch_->poll();
  counters_.frames_refused += news.not_zeromq;
  if (news.lost && probe_at_ == LinkTime::max()) {
    probe_at_ = now_ + kProbeDelay;
    next_tick_ = std::min(next_tick_, probe_at_);
  }
  return true;
}

bool IoLoop::read_dealers() {
  std::vector<Dealer*> ready;
  for (const auto& [endpoint, dealer] : dealers_)
    if (dealer->readable || dealer->watch_readable) ready.push_back(dealer.get());
  bool any = false;
  // Retired ones stay alive until the end of the turn.
  for (Dealer* dealer : ready)
    if (!dealer->retired) any = read_dealer(*dealer) || any;
  return any;
}

bool IoLoop::read_dealer(Dealer& dealer) {
  WatchNews news;
  const bool watched = std::exchange(dealer.watch_readable, false);
  if (watched) news = dealer.watch->poll();
  const LinkKey key{LinkSide::kOutbound, dealer.endpoint};
  std::string no_route;
  Incoming message;
  int taken = 0;
  // What came before the connection ended is still there, and comes first.
  while ((taken < kBatch || news.lost) && !dealer.retired &&
         receive_message(dealer.socket, false, limits_, no_route, message)) {
    control_.received(key, std::move(message), now_);
    ++taken;
  }
  dealer.readable = false;
  if (news.lost && !dealer.retired) control_.dial_lost(dealer.endpoint, now_);
  if (news.connected && !dealer.retired) control_.dial_connected(dealer.endpoint, now_);
  return watched || taken > 0;
}

}  // namespace hadar
