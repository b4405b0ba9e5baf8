#include "runtime/transport/memory_transport.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "messages/types/check.hpp"

namespace hadar {

class Switchboard::Board {
 public:
  using Pair = std::pair<std::string, std::string>;
  struct Node {
    PeerInfo self;
    TransportEvents events;
    std::set<std::string> dialled;
    std::map<std::string, std::uint64_t> counters;
  };
  // What is delivered: `run` gets the node, if it is still there.
  struct Event {
    std::string to;
    std::function<void(Node&)> run;
  };

  explicit Board(bool own_thread) {
    if (own_thread) thread_ = std::thread([this] { deliver_until_stopped(); });
  }
  ~Board() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  void join(PeerInfo self, TransportEvents events) {
    const std::lock_guard lock(mutex_);
    const std::string name = self.name;
    HADAR_REQUIRE(!nodes_.contains(name));
    auto node = std::make_shared<Node>();
    node->self = std::move(self);
    node->events = std::move(events);
    nodes_.emplace(name, std::move(node));
    relink();
  }

  void leave(const std::string& name) {
    // Waits for an event that is being delivered.
    const std::lock_guard turn(delivering_);
    const std::lock_guard lock(mutex_);
    for (const Pair& link : std::set<Pair>(links_))
      if (link.first == name || link.second == name) unlink(link, "\"" + name + "\" stopped");
    nodes_.erase(name);
  }

  void dial(const std::string& name, const std::string& endpoint, bool on) {
    const std::lock_guard lock(mutex_);
    Node& node = *nodes_.at(name);
    if (on) {
      node.dialled.insert(endpoint);
      return relink();
    }
    node.dialled.erase(endpoint);
    for (const Pair& link : std::set<Pair>(links_))
      if (!wanted(link)) unlink(link, "disconnected on purpose");
  }

  Status send(const std::string& from, const std::string& to, Packet packet) {
    const std::lock_guard lock(mutex_);
    Node& sender = *nodes_.at(from);
    if (!links_.contains(ordered(from, to))) {
      ++sender.counters["sends_unreachable"];
      return fail(ErrorCode::kUnreachable, "send: no link to \"" + to + "\" is up");
    }
    ++sender.counters["packets_out"];
    push({to, [from, packet = std::move(packet)](Node& node) {
            ++node.counters["packets_in"];
            if (node.events.on_packet) node.events.on_packet(from, packet);
          }});
    return {};
  }

  void set_directory(const std::string& name, const std::map<std::string, std::string>& directory) {
    const std::lock_guard lock(mutex_);
    PeerInfo& self = nodes_.at(name)->self;
    self.directory = directory;
    for (const auto& [other, node] : nodes_)
      if (links_.contains(ordered(name, other)))
        push({other, [info = self](Node& told) {
                if (told.events.on_directory) told.events.on_directory(info);
              }});
  }

  std::map<std::string, std::uint64_t> counters(const std::string& name) {
    const std::lock_guard lock(mutex_);
    auto counted = nodes_.at(name)->counters;
    counted["peers_up"] = static_cast<std::uint64_t>(std::count_if(
        links_.begin(), links_.end(), [&](const Pair& link) { return link.first == name || link.second == name; }));
    return counted;
  }

  void cut(const Pair& link, bool off) {
    const std::lock_guard lock(mutex_);
    if (off) {
      cut_.insert(link);
      if (links_.contains(link)) unlink(link, "the link was cut");
    } else {
      cut_.erase(link);
      relink();
    }
  }

  std::size_t pump() {
    std::size_t delivered = 0;
    while (deliver_one()) ++delivered;
    return delivered;
  }

  static Pair ordered(const std::string& a, const std::string& b) { return std::minmax(a, b); }

 private:
  bool wanted(const Pair& link) {
    if (cut_.contains(link)) return false;
    const Node& a = *nodes_.at(link.first);
    const Node& b = *nodes_.at(link.second);
    const auto dials = [](const Node& from, const Node& to) {
      return !to.self.endpoint.empty() && from.dialled.contains(to.self.endpoint);
    };
    return dials(a, b) || dials(b, a);
  }

  void relink() {
    for (auto a = nodes_.begin(); a != nodes_.end(); ++a)
      for (auto b = std::next(a); b != nodes_.end(); ++b) {
        const Pair link{a->first, b->first};
        if (links_.contains(link) || !wanted(link)) continue;
        links_.insert(link);
        tell_up(link.first, b->second->self);
        tell_up(link.second, a->second->self);
      }
  }

  void unlink(const Pair& link, const std::string& why) {
    links_.erase(link);
    tell_down(link.first, link.second, why);
    tell_down(link.second, link.first, why);
  }

  void tell_up(const std::string& to, const PeerInfo& info) {
    push({to, [info](Node& node) {
            if (node.events.on_up) node.events.on_up(info);
          }});
  }
  void tell_down(const std::string& to, const std::string& name, const std::string& why) {
    push({to, [name, why](Node& node) {
            if (node.events.on_down) node.events.on_down(name, {ErrorCode::kUnreachable, why});
          }});
  }

  void push(Event event) {
    events_.push_back(std::move(event));
    changed_.notify_all();
  }

  bool deliver_one() {
    const std::lock_guard turn(delivering_);
    Event event;
    std::shared_ptr<Node> node;
    {
      const std::lock_guard lock(mutex_);
      if (events_.empty()) return false;
      event = std::move(events_.front());
      events_.pop_front();
      const auto found = nodes_.find(event.to);
      if (found == nodes_.end()) return true;
      node = found->second;
    }
    event.run(*node);
    return true;
  }

  void deliver_until_stopped() {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || !events_.empty(); });
        if (stop_) return;
      }
      deliver_one();
    }
  }

  std::recursive_mutex delivering_;  // held while an event is delivered; taken before mutex_
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Node>> nodes_;
  std::set<Pair> links_;
  std::set<Pair> cut_;
  std::deque<Event> events_;
  bool stop_ = false;
  std::thread thread_;
};

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(std::shared_ptr<Switchboard::Board> board, std::string name)
      : board_(std::move(board)), name_(std::move(name)) {}
  ~MemoryTransport() override { board_->leave(name_); }

  void connect(const std::string& endpoint) override { board_->dial(name_, endpoint, true); }
  void disconnect(const std::string& endpoint) override { board_->dial(name_, endpoint, false); }
  Status send(const std::string& peer, Packet packet) override { return board_->send(name_, peer, std::move(packet)); }
  void set_directory(const std::map<std::string, std::string>& directory) override {
    board_->set_directory(name_, directory);
  }
  std::map<std::string, std::uint64_t> counters() const override { return board_->counters(name_); }

 private:
  std::shared_ptr<Switchboard::Board> board_;
  std::string name_;
};

Switchboard::Switchboard(Delivery delivery) : board_(std::make_shared<Board>(delivery == Delivery::kOwnThread)) {}

Switchboard::~Switchboard() = default;

std::unique_ptr<Transport> Switchboard::join(PeerInfo self, TransportEvents events) {
  const std::string name = self.name;
  board_->join(std::move(self), std::move(events));
  return std::make_unique<MemoryTransport>(board_, name);
}

std::size_t Switchboard::pump() {
  return board_->pump();
}

void Switchboard::cut(const std::string& a, const std::string& b) {
  board_->cut(Board::ordered(a, b), true);
}

void Switchboard::heal(const std::string& a, const std::string& b) {
  board_->cut(Board::ordered(a, b), false);
}

}  // namespace hadar
