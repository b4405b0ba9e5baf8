// Two processes in one: each with an actor system and a bridge, joined by a switchboard.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <mutex>
#include <string>
#include <vector>

#include "messages/types/control.hpp"
#include "runtime/bridge/bridge.hpp"
#include "runtime/transport/memory_transport.hpp"

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::QueryLog)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::LogPart)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::PutBlobChunk)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::BlobStat)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::CommandJob)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::Ack)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::JobAdvanced)

namespace hadar::test {
// Without a codec: stays inside its process.
struct LocalOnly {
  int value = 0;
};
}  // namespace hadar::test
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::test::LocalOnly)

namespace hadar::test {

using namespace std::chrono_literals;

using Archive = caf::typed_actor<caf::replies_to<QueryLog>::with<LogPart>,
                                 caf::replies_to<PutBlobChunk>::with<BlobStat>, caf::replies_to<CommandJob>::with<Ack>,
                                 caf::reacts_to<JobAdvanced>, caf::replies_to<LocalOnly>::with<Ack>>;

// Things that happen on other threads, to be waited for.
class Happenings {
 public:
  void note(std::string what) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(what));
    changed_.notify_all();
  }
  // False when it did not come within 10 s.
  bool wait_for(const std::string& what, std::size_t times = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(
        lock, 10s, [&] { return static_cast<std::size_t>(std::count(all_.begin(), all_.end(), what)) >= times; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> all_;
};

struct ArchiveState {
  std::vector<caf::typed_response_promise<LogPart>> unanswered;
  static inline const char* name = "archive";
};

// Answers by the request's node: "fail" an error of ours, "crash" an exception, "never" not at all.
inline Archive::behavior_type archive(Archive::stateful_pointer<ArchiveState> self, Happenings* seen) {
  return {[self, seen](const QueryLog& query) -> caf::result<LogPart> {
            if (query.node == "fail") return to_caf({ErrorCode::kNotFound, "no log of job 7 here"});
            if (query.node == "crash") throw std::runtime_error("out of paper");
            if (query.node == "never") {
              seen->note("never");
              self->state.unanswered.push_back(self->make_response_promise<LogPart>());
              return self->state.unanswered.back();
            }
            return LogPart{query.node, query.offset, "line", false};
          },
          [](const PutBlobChunk& chunk) {
            return BlobStat{chunk.offset + chunk.payload.size(), false};
          },
          [](const CommandJob&) { return Ack{}; },
          [seen](const JobAdvanced& told) { seen->note("advanced " + std::to_string(told.job.value)); },
          [](const LocalOnly&) { return Ack{}; }};
}

// One process.
struct Side {
  caf::actor_system_config config;
  caf::actor_system system{config};
  Happenings happened;
  Bridge bridge;
  std::unique_ptr<Transport> transport;
  PeerInfo self;

  Side(std::string name, std::vector<std::string> roles, std::string endpoint)
      : bridge(system, {[this](const PeerInfo& info) { happened.note("up " + info.name); },
                        [this](const std::string& peer, const Error&) { happened.note("down " + peer); },
                        {},
                        [this](const PeerInfo& info) { happened.note("directory " + info.name); }}) {
    self.name = std::move(name);
    self.roles = std::move(roles);
    self.endpoint = std::move(endpoint);
  }
  void join(Switchboard& board) {
    transport = board.join(self, bridge.events());
    bridge.attach(*transport);
  }
  ~Side() { transport.reset(); }
};

// Asks and waits: the answer, or the error.
template <class Answer, class Handle, class Request>
Result<Answer> ask(caf::actor_system& system, const Handle& actor, Request request) {
  caf::scoped_actor self{system};
  Result<Answer> result = fail(ErrorCode::kInternal, "no answer at all");
  self->request(actor, 20s, std::move(request))
      .receive([&](const Answer& answer) { result = answer; },
               [&](const caf::error& error) { result = fail(to_error(error).code, to_error(error).message); });
  return result;
}

}  // namespace hadar::test
