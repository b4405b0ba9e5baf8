#include "actors/tracker/job_ledger_actor.hpp"

#include <caf/all.hpp>
#include <functional>

#include "actors/cluster_clock.hpp"
#include "messages/codec/event_json.hpp"
#include "runtime/bridge/caf_compat.hpp"

namespace hadar::job_ledger {
namespace {

struct WriteLog {};

constexpr double kRetryWrite_s = 1;
constexpr double kCollectEvery_s = 60;
constexpr std::uint32_t kReplayPage = 4096;
constexpr std::uint32_t kEventPageLimit = 10000;

}  // namespace
}  // namespace hadar::job_ledger

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(hadar::job_ledger::WriteLog)

namespace hadar::job_ledger {
namespace {

using Wide = JobLedgerActor::extend<Takes<WriteLog>>;

struct State {
  static inline const char* name = "job_ledger";

  std::shared_ptr<Ledger> ledger;
  std::shared_ptr<EventLog> log;
  std::optional<ClusterClock> clock;
  LedgerPeers peers;
  LedgerChanges batch;                         // taken from the ledger, not durable yet
  std::vector<std::function<void()>> answers;  // to be given once the batch is durable
  bool write_pending = false;
  double collected_s = 0;  // when blobs were last collected
  std::string trouble;     // why the last write failed; empty when it did not
};

using Self = Wide::stateful_pointer<State>;

void append_to(LedgerChanges& batch, LedgerChanges&& more) {
  const auto move_all = [](auto& to, auto& from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  };
  move_all(batch.events, more.events);
  move_all(batch.values, more.values);
  move_all(batch.advanced, more.advanced);
  move_all(batch.tracked, more.tracked);
  move_all(batch.untracked, more.untracked);
  move_all(batch.measured, more.measured);
}

void tell_peers(Self self, const LedgerChanges& batch) {
  const auto& peers = self->state.peers;
  for (const auto& message : batch.tracked)
    if (peers.fork_tracker) self->send(peers.fork_tracker, message);
  for (const auto& message : batch.untracked)
    if (peers.fork_tracker) self->send(peers.fork_tracker, message);
  for (const auto& message : batch.measured)
    if (peers.throughput_book) self->send(peers.throughput_book, message);
  for (const auto& message : batch.advanced)
    if (peers.round_flow) self->send(peers.round_flow, message);
}

// Merges leave blobs behind that nobody will ask for again.
void collect_blobs(Self self, const LedgerChanges& batch) {
  auto& state = self->state;
  const auto now_s = state.clock->now_s();
  const bool merged = std::any_of(batch.events.begin(), batch.events.end(), [](const Event& event) {
    return std::holds_alternative<event::Consolidated>(event.body);
  });
  if (!merged || !state.peers.blob_keeper || now_s < state.collected_s + kCollectEvery_s) return;
  state.collected_s = now_s;
  self->send(state.peers.blob_keeper, KeepBlobs{state.ledger->state().needed_blobs()});
}

void write_log(Self self) {
  auto& state = self->state;
  state.write_pending = false;
  append_to(state.batch, state.ledger->take());
  if (!state.batch.empty()) {
    auto written = state.log->append(state.batch.events, state.batch.values);
    if (!written) {
      state.trouble = written.error().message;
      state.write_pending = true;
      self->delayed_send(self, caf_delay(kRetryWrite_s), WriteLog{});
      return;
    }
  }
  state.trouble.clear();
  auto batch = std::exchange(state.batch, {});
  const auto answers = std::exchange(state.answers, {});
  if (state.peers.fork_tracker) {
    tell_peers(self, batch);
    collect_blobs(self, batch);
  } else {  // a request came before LedgerPeers: what peers must know waits for them
    batch.events.clear();
    batch.values.clear();
    state.batch = std::move(batch);
  }
  for (const auto& answer : answers) answer();
}

// Gives `answer` once everything before it is durable.
template <class T>
caf::result<T> answer_durably(Self self, Result<T> answer) {
  auto& state = self->state;
  auto promise = self->template make_response_promise<T>();
  if (!answer) {
    promise.deliver(to_caf(answer.error()));
    return promise;
  }
  state.answers.push_back([promise, value = std::move(*answer)]() mutable { promise.deliver(std::move(value)); });
  if (!state.write_pending) {
    state.write_pending = true;
    self->send(self, WriteLog{});
  }
  return promise;
}

// Runs a changing command, unless the log cannot be written.
template <class T, class Command>
caf::result<T> change(Self self, Command command) {
  auto& state = self->state;
  if (!state.trouble.empty()) return to_caf(Error{ErrorCode::kIo, "event log cannot be written: " + state.trouble});
  return answer_durably<T>(self, command(*state.ledger, state.clock->now_s()));
}

Result<Ack> acked(Status status) {
  if (!status) return fail(std::move(status).error().code, status.error().message);
  return Ack{};
}

// The throughput book, which is in this process, answers with its estimates filled in.
caf::result<JobsViewed> view_jobs(Self self, const ViewJobs& request) {
  auto& state = self->state;
  auto viewed = state.ledger->view(state.clock->now_s());
  if (!state.peers.throughput_book) return viewed;
  return self->delegate(state.peers.throughput_book,
                        EstimateJobs{std::move(viewed), state.ledger->viewed_specs(), request.pairs});
}

caf::result<EventPage> read_events(Self self, const QueryEvents& query) {
  auto& state = self->state;
  auto stored = state.log->read(query.after_seq, std::min(query.limit, kEventPageLimit));
  if (!stored) return to_caf(stored.error());
  EventPage page;
  page.last_seq = state.log->last_seq();
  for (auto& event : *stored) page.events.push_back(std::move(event.json));
  return page;
}

Wide::behavior_type behavior(Self self, const JobLedgerOptions& options, std::shared_ptr<Ledger> ledger,
                             std::shared_ptr<EventLog> log) {
  self->state.ledger = std::move(ledger);
  self->state.log = std::move(log);
  self->state.clock.emplace(self->clock(), options.start_s);
  return {
      [self](const OpenTerm& m) {
        return change<TermOpened>(self, [&](Ledger& l, double t) -> Result<TermOpened> { return l.open_term(m, t); });
      },
      [self](const ViewJobs& m) { return view_jobs(self, m); },
      [self](const RecordPlan& m) {
        return change<PlanRecorded>(self, [&](Ledger& l, double t) { return l.record_plan(m, t); });
      },
      [self](const RecordExtension& m) {
        return change<Ack>(self, [&](Ledger& l, double t) { return acked(l.record_extension(m, t)); });
      },
      [self](const CloseLeases& m) {
        return change<Ack>(self, [&](Ledger& l, double t) { return acked(l.close_leases(m, t)); });
      },
      [self](const RecordNode& m) {
        return change<Ack>(self, [&](Ledger& l, double t) { return acked(l.record_node(m, t)); });
      },
      [self](const SubmitJob& m) {
        return change<JobSubmitted>(self, [&](Ledger& l, double t) { return l.submit(m, t); });
      },
      [self](const CommandJob& m) {
        return change<Ack>(self, [&](Ledger& l, double t) { return acked(l.command(m, t)); });
      },
      [self](const QueryJobs& m) -> caf::result<JobList> {
        auto list = self->state.ledger->list(m, self->state.clock->now_s());
        if (!list) return to_caf(list.error());
        return *list;
      },
      [self](const QueryEvents& m) { return read_events(self, m); },
      [self](const AcceptReport& m) {
        return change<ReportAccepted>(self,
                                      [&](Ledger& l, double t) -> Result<ReportAccepted> { return l.accept(m, t); });
      },
      [self](const SettleForks& m) {
        return change<ForksSettled>(self, [&](Ledger& l, double t) { return l.settle(m, t); });
      },
      [self](const ProgressSampled& m) { self->state.ledger->sample(m); },
      [self](const LedgerPeers& m) {
        self->state.peers = m;
        write_log(self);
      },
      [self](const WriteLog&) { write_log(self); },
  };
}

}  // namespace
}  // namespace hadar::job_ledger

namespace hadar {

Result<std::unique_ptr<Ledger>> restore_ledger(const LedgerOptions& options, EventLog& log, double now_s) {
  auto ledger = std::make_unique<Ledger>(options);
  for (std::uint64_t seq = 0; seq < log.last_seq();) {
    auto page = log.read(seq, job_ledger::kReplayPage);
    if (!page) return fail(std::move(page));
    if (page->empty()) break;
    for (const auto& stored : *page) {
      auto event = event_from_json(stored.json);
      if (!event) return fail(std::move(event));
      if (auto applied = ledger->replay(*event); !applied) return tl::unexpected<Error>(applied.error());
      seq = stored.seq;
    }
  }
  auto memory = log.value("policy_memory");
  if (auto started = ledger->start(now_s, memory ? *memory : std::string()); !started)
    return tl::unexpected<Error>(started.error());
  return ledger;
}

JobLedgerActor spawn_job_ledger(caf::actor_system& system, SpawnMode mode, JobLedgerOptions options,
                                std::shared_ptr<Ledger> ledger, std::shared_ptr<EventLog> log) {
  return spawn_as(system, mode, job_ledger::behavior, options, std::move(ledger), std::move(log));
}

}  // namespace hadar
