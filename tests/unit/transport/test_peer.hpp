// A transport whose events can be waited for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <unistd.h>
#include <vector>

#include "runtime/transport/zmq_transport.hpp"

namespace hadar::test {

using namespace std::chrono_literals;

// Everything that a transport told, in order: "up n1", "down n1: why", "refused ENDPOINT: why", "directory n1".
class EventLogbook {
 public:
  TransportEvents events() {
    TransportEvents sinks;
    sinks.on_up = [this](const PeerInfo& info) { note("up " + info.name, &info); };
    sinks.on_down = [this](const std::string& name, const Error& why) { note("down " + name + ": " + why.message); };
    sinks.on_refused = [this](const std::string& endpoint, const Error& why) {
      note("refused " + endpoint + ": " + std::string(name_of(why.code)) + ": " + why.message);
    };
    sinks.on_directory = [this](const PeerInfo& info) { note("directory " + info.name, &info); };
    sinks.on_packet = [this](const std::string& name, Packet packet) {
      const std::lock_guard lock(mutex_);
      packets_.emplace_back(name, std::move(packet));
      changed_.notify_all();
    };
    return sinks;
  }

  // Waits until the n-th entry that starts with `prefix` is there and returns it; fails the test after 10 s.
  std::string wait_for(const std::string& prefix, std::size_t n = 1) {
    std::unique_lock lock(mutex_);
    std::string found;
    const bool there = changed_.wait_for(lock, 10s, [&] {
      std::size_t seen = 0;
      for (const auto& entry : entries_)
        if (entry.starts_with(prefix) && ++seen == n) return found = entry, true;
      return false;
    });
    EXPECT_TRUE(there) << "never: " << prefix << " (" << n << ") among: " << testing::PrintToString(entries_);
    return found;
  }

  // Waits until `count` packets came.
  bool wait_packets(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return packets_.size() >= count; });
  }

  std::size_t count(const std::string& prefix) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.starts_with(prefix); }));
  }
  std::vector<std::string> entries() {
    const std::lock_guard lock(mutex_);
    return entries_;
  }
  std::vector<std::pair<std::string, Packet>> packets() {
    const std::lock_guard lock(mutex_);
    return packets_;
  }
  PeerInfo last_info() {
    const std::lock_guard lock(mutex_);
    return last_info_;
  }

 private:
  void note(std::string entry, const PeerInfo* info = nullptr) {
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    if (info != nullptr) last_info_ = *info;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> entries_;
  std::vector<std::pair<std::string, Packet>> packets_;
  PeerInfo last_info_;
};

inline TransportOptions quick_options(const std::string& name, std::uint64_t incarnation = 1) {
  TransportOptions options;
  options.cluster_id = "lab";
  options.self.name = name;
  options.self.incarnation = incarnation;
  options.self.roles = {"node-worker"};
  options.self.pid = static_cast<std::uint64_t>(::getpid());
  options.ping_interval = 50ms;
  options.silence_limit = 1000ms;
  options.hello_interval = 50ms;
  options.handshake_limit = 1000ms;
  options.name_check_limit = 200ms;
  options.reconnect_min = 20ms;
  options.reconnect_max = 100ms;
  return options;
}

// One process of a cluster.
struct TestPeer {
  EventLogbook log;
  std::unique_ptr<ZmqTransport> transport;

  explicit TestPeer(TransportOptions options) {
    auto opened = open_zmq_transport(std::move(options), log.events());
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
    if (opened) transport = std::move(*opened);
  }
  ZmqTransport* operator->() { return transport.get(); }
};

inline TransportOptions listening(TransportOptions options, const std::string& endpoint = "tcp://127.0.0.1:*") {
  options.listen = {endpoint};
  return options;
}

inline Payload bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return Payload(std::vector<std::byte>(first, first + text.size()));
}

inline std::string text_of(const Payload& bytes) {
  return {reinterpret_cast<const char*>(bytes.bytes().data()), bytes.size()};
}

inline Packet packet_of(const std::string& text) {
  Packet packet;
  packet.envelope.kind = MessageKind::kAck;
  packet.envelope.target = ActorKey::kHealth;
  packet.body = bytes_of(text);
  return packet;
}

// Polls a condition that no event tells of; true as soon as it holds, false after 10 s.
inline bool eventually(const std::function<bool()>& holds) {
  const auto limit = std::chrono::steady_clock::now() + 10s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable never;
    never.wait_for(lock, 5ms);
  }
  return true;
}

}  // namespace hadar::test
