#include <caf/all.hpp>
#include <gmock/gmock.h>

#include "actors/node/node_worker_actor.hpp"
#include "launchers/simulated_time.hpp"
#include "runtime/bridge/caf_compat.hpp"
#include "tests/unit/actors/values.hpp"

namespace hadar {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Writes down what it is asked for; the test says what happens.
class FakeExecutor final : public Executor {
 public:
  void set_sink(ExecutorSink) override {}
  void start(LeaseRun run) override { started.push_back(run.lease.id); }
  void extend(LeaseId, std::uint64_t, double) override {}
  void save(LeaseId lease) override { saves.push_back(lease); }
  void stop(LeaseId lease, double) override { stopped.push_back(lease); }
  void kill(LeaseId lease) override { killed.push_back(lease); }
  void release(JobId) override {}
  Result<LogPart> read_log(ForkId, std::uint64_t, std::uint32_t) override { return LogPart{}; }

  std::vector<LeaseId> started, saves, stopped, killed;
};

// A node of one GPU between a scheduler and a tracker that write down what they hear.
class NodeWorkerTest : public testing::Test {
 protected:
  NodeWorkerTest() {
    auto& system = time_.system();
    membership_ = system.spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](const NodeHello&) { return NodeWelcome{Term{1}, Epoch{1}, 60, 60, {}, {}}; }};
    });
    lease_keeper_ = system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const LeaseEnded& message) -> caf::result<Ack> {
        ended_.push_back(message);
        if (deaf_) return to_caf(Error{ErrorCode::kUnreachable, "down"});
        return Ack{};
      }};
    });
    fork_tracker_ = system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {[this](const LeaseReport& report) -> caf::result<ReportAnswered> {
        if (deaf_) return to_caf(Error{ErrorCode::kUnreachable, "down"});
        reports_.push_back(report);
        return ReportAnswered{report.lease, ReportVerdict::kAccepted, "", {}};
      }};
    });
    ledger_ = system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](const ProgressSampled&) {}}; });
    NodeWorkerOptions options;
    options.inventory = some_node("n1");
    options.step_limit_s = 30;
    NodeWorkerPeers peers;
    peers.membership = caf::actor_cast<MembershipActor>(membership_);
    peers.lease_keeper = caf::actor_cast<LeaseKeeperActor>(lease_keeper_);
    peers.ledger = caf::actor_cast<JobLedgerActor>(ledger_);
    peers.fork_tracker = caf::actor_cast<ForkTrackerActor>(fork_tracker_);
    worker_ =
        spawn_node_worker(system, SpawnMode::kShared, options, peers, executor_,
                          [](const BlobRef&) -> Result<std::filesystem::path> { return std::filesystem::path(); });
    caf::anon_send(worker_, SchedulerLink{true});
    time_.drain();
  }

  ~NodeWorkerTest() override {
    caf::anon_send_exit(worker_, caf::exit_reason::kill);
    for (const auto& peer : {membership_, lease_keeper_, fork_tracker_, ledger_})
      caf::anon_send_exit(peer, caf::exit_reason::kill);
    time_.drain();
  }

  template <class Request>
  void ask(Request request) {
    caf::scoped_actor self{time_.system()};
    auto pending = self->request(worker_, caf::infinite, std::move(request));
    time_.drain();
    pending.receive([](const auto&) {}, [](const caf::error& error) { ADD_FAILURE() << to_error(error).message; });
  }

  Lease promise_lease(std::uint64_t id = 1, double train_for_s = 0) {
    auto lease = some_lease(id, 1, 0, "n1", 1000, train_for_s);
    lease.epoch = Epoch{1};
    lease.term = Term{1};
    lease.spec = std::make_shared<const JobSpec>(some_job(1000));
    caf::scoped_actor self{time_.system()};
    auto prepared = self->request(worker_, caf::infinite, PrepareLeases{Term{1}, Epoch{1}, {lease}});
    time_.drain();
    prepared.receive([](const LeasesPrepared& answer) { EXPECT_EQ(answer.accepted.size(), 1U); },
                     [](const caf::error& error) { ADD_FAILURE() << to_error(error).message; });
    return lease;
  }

  Lease run_lease(double train_for_s = 0) {
    const auto lease = promise_lease(1, train_for_s);
    caf::scoped_actor self{time_.system()};
    auto committed = self->request(worker_, caf::infinite, CommitLeases{Term{1}, Epoch{1}, {{lease.id, ""}}});
    time_.drain();
    committed.receive([](const Ack&) {}, [](const caf::error& error) { ADD_FAILURE() << to_error(error).message; });
    EXPECT_THAT(executor_->started, ElementsAre(lease.id));
    return lease;
  }

  void happens(ExecutorEvent event) {
    caf::anon_send(worker_, ExecutorHappened{std::move(event)});
    time_.drain();
  }

  void pass(double seconds) {
    time_.run(time_.now_s() + seconds, [] { return false; });
  }

  SimulatedTime time_{1, false};
  std::shared_ptr<FakeExecutor> executor_ = std::make_shared<FakeExecutor>();
  caf::actor membership_, lease_keeper_, fork_tracker_, ledger_;
  LocalNodeWorker worker_;
  std::vector<LeaseEnded> ended_;
  std::vector<LeaseReport> reports_;
  bool deaf_ = false;
};

executor_event::Ended end_of(LeaseId lease, LeaseEndReason why, std::uint64_t steps) {
  executor_event::Ended ended;
  ended.lease = lease;
  ended.end = why;
  ended.steps = steps;
  ended.train_s = static_cast<double>(steps) / 10;
  return ended;
}

TEST_F(NodeWorkerTest, PromiseNotCommittedInTimeIsGivenBack) {
  const auto first = promise_lease(1);
  pass(9.5);
  EXPECT_THAT(ended_, IsEmpty());
  pass(1);
  EXPECT_THAT(ended_, ElementsAre(Field(&LeaseEnded::lease, first.id)));
  EXPECT_EQ(ended_.back().detail, "never committed");
  const auto second = promise_lease(2);
  pass(9.5);
  EXPECT_THAT(ended_, SizeIs(1)) << "each has its own time";
  pass(1);
  EXPECT_THAT(ended_, SizeIs(2));
  EXPECT_EQ(ended_.back().lease, second.id);
}

TEST_F(NodeWorkerTest, EndIsToldWhenTheGpusAreFreeAndOnceMoreWhenItIsReported) {
  const auto lease = run_lease();
  happens(end_of(lease.id, LeaseEndReason::kQuota, 1000));
  EXPECT_THAT(ended_, ElementsAre(Field(&LeaseEnded::reported, false), Field(&LeaseEnded::reported, true)));
  ASSERT_THAT(reports_, SizeIs(1));
  EXPECT_EQ(reports_.front().steps, 1000U);
}

TEST_F(NodeWorkerTest, ReportIsRepeatedUntilItIsAnswered) {
  const auto lease = run_lease();
  deaf_ = true;
  happens(end_of(lease.id, LeaseEndReason::kQuota, 1000));
  pass(5);
  EXPECT_THAT(reports_, IsEmpty());
  deaf_ = false;
  pass(5);
  EXPECT_THAT(reports_, SizeIs(1));
  EXPECT_TRUE(ended_.back().reported);
}

TEST_F(NodeWorkerTest, TrainerThatDoesNoStepForTooLongHasFailed) {
  const auto lease = run_lease();
  for (std::uint64_t steps = 1; steps <= 4; ++steps) {
    pass(20);
    happens(executor_event::Progressed{lease.id, steps, static_cast<double>(steps) * 20});
  }
  EXPECT_THAT(executor_->stopped, IsEmpty()) << "slow, not hung";
  pass(40);
  EXPECT_THAT(executor_->stopped, ElementsAre(lease.id)) << "asked once";
  happens(end_of(lease.id, LeaseEndReason::kRevoked, 0));
  ASSERT_THAT(reports_, SizeIs(1));
  EXPECT_EQ(reports_.front().end, LeaseEndReason::kFailed);
  EXPECT_THAT(reports_.front().detail, HasSubstr("no step for 30 s"));
}

}  // namespace
}  // namespace hadar
