// The ipc:// channel between a node worker and the trainers it started. A trainer proves itself once with the token it
// was given in its environment; a frame from anyone else is dropped and counted. Both ends belong to one thread each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "messages/codec/trainer_codec.hpp"
#include "messages/types/result.hpp"

namespace hadar {

// The node worker's end.
class TrainerServer {
 public:
  struct Incoming {
    std::string token;  // of the sender
    TrainerMessage message;
  };

  // Listens under `folder` (made when missing), or under a fresh folder in /tmp when the path is too long for a socket.
  // kIo when the system refuses.
  static Result<std::unique_ptr<TrainerServer>> open(const std::filesystem::path& folder);
  // Closes within 0.2 s and removes the socket.
  ~TrainerServer();
  TrainerServer(const TrainerServer&) = delete;
  TrainerServer& operator=(const TrainerServer&) = delete;

  // What goes into HADAR_TRAINER_SOCKET.
  [[nodiscard]] const std::string& endpoint() const;

  // Readable whenever something may have happened. Edge-triggered: call receive() until it is empty after each wake-up,
  // after each send and once before the first wait. Belongs to the server.
  [[nodiscard]] int wake_fd() const;

  // A trainer with this token may say hello from now on; after forget() its frames are dropped.
  void admit(const std::string& token);
  void forget(const std::string& token);

  // kUnreachable when that trainer has not said hello or is gone; kOverloaded when it does not read. Never blocks.
  Status send(const std::string& token, const TrainerMessage& message);

  // The next message of an admitted trainer, hello included; empty when nothing waits. Never blocks.
  std::optional<Incoming> receive();

  // Frames dropped so far: from unknown senders, broken, or a second hello.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  struct Impl;
  explicit TrainerServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The trainer's end.
class TrainerClient {
 public:
  // kInvalidArgument when the endpoint is none. Connecting itself happens behind the scenes and is retried.
  static Result<std::unique_ptr<TrainerClient>> connect(const std::string& endpoint);
  // Waits at most 1 s for what was sent to leave.
  ~TrainerClient();
  TrainerClient(const TrainerClient&) = delete;
  TrainerClient& operator=(const TrainerClient&) = delete;

  // kOverloaded when the node worker does not read. Never blocks.
  Status send(const TrainerMessage& message);

  // The next message; empty when none waits; kCorrupt when the node worker spoke nonsense. Never blocks.
  Result<std::optional<TrainerMessage>> receive();

  // Sleeps up to `seconds`, less when a message came or one of `others` became readable or hung up. Coarse to 1 ms.
  void wait(double seconds, std::span<const int> others = {});

 private:
  struct Impl;
  explicit TrainerClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hadar
