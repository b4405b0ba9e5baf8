// What a message may not say: the border refuses it and names the field, the value and the rule.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <limits>

#include "tests/support/all_messages.hpp"
#include "tests/support/message_values.hpp"

namespace hadar {
namespace {

using testing::CountingSource;
using ::testing::HasSubstr;
using testing::made;
using ::testing::StartsWith;

// A valid message, changed, and what its decoding then says.
template <class T>
std::string refusal(const std::function<void(T&)>& change) {
  CountingSource source;
  auto value = made<T>(source);
  change(value);
  const auto encoded = Codec<T>::encode(value);
  const auto decoded = Codec<T>::decode(encoded.body, encoded.payload);
  if (decoded) return "taken";
  EXPECT_EQ(decoded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(decoded.error().message, Not(HasSubstr("\n")));
  return decoded.error().message;
}

std::string lease_refusal(const std::function<void(Lease&)>& change) {
  return refusal<PrepareLeases>([&](PrepareLeases& message) { change(message.leases[1]); });
}

std::string spec_refusal(const std::function<void(JobSpec&)>& change) {
  return refusal<SubmitJob>([&](SubmitJob& message) { change(message.spec); });
}

TEST(Border, NamesThePathOfAFieldInsideAList) {
  EXPECT_EQ(lease_refusal([](Lease& lease) { lease.quota_steps = 0; }),
            "prepare_leases.leases[1].quota_steps: 0, must be at least 1");
  EXPECT_EQ(lease_refusal([](Lease& lease) { lease.fork.job = {}; }),
            "prepare_leases.leases[1].fork.job: 0, must be at least 1");
}

TEST(Border, RefusesLeasesThatBreakTheirRules) {
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.id = {}; }), HasSubstr("leases[1].id: 0"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.node.clear(); }), HasSubstr("node: \"\", must not be empty"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gpus = lease.gpus = {}; }), HasSubstr("at least one GPU"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gpus = {3, 3, 4}; }), HasSubstr("gpus[1]: 3, must come after"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gpus.back() = 65'536; }), HasSubstr("must be below 65536"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gpu_types.pop_back(); }), HasSubstr("must be one for each"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gang = {2, 2, "host:1"}; }), HasSubstr("gang.rank: 2, must be"));
  EXPECT_THAT(lease_refusal([](Lease& lease) { lease.gang = {0, 0, ""}; }), HasSubstr("must be 1 to 65536"));
}

TEST(Border, RefusesTimesThatAreNoTimes) {
  for (const double bad : {-0.5, std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_THAT(lease_refusal([&](Lease& lease) { lease.train_for_s = bad; }),
                HasSubstr("train_for_s: " + std::string(std::isnan(bad) ? "nan"
                                                        : bad < 0       ? "-0.5"
                                                                        : "inf")));
}

TEST(Border, RefusesJobsThatBreakTheirRules) {
  EXPECT_EQ(spec_refusal([](JobSpec& spec) { spec.gpus = 0; }), "submit_job.spec.gpus: 0, must be 1 to 65536");
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.gpus = 65'537; }), HasSubstr("65537, must be 1 to 65536"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.total_steps = 0; }), HasSubstr("total_steps: 0"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.batch_size = 0; }), HasSubstr("batch_size: 0"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.weight = 0; }), HasSubstr("weight: 0, must be"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.sleep.steps_per_s["V100"] = 0; }),
              HasSubstr("steps_per_s[1].V100: 0, must be a finite number above 0"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.workload = "image", spec.command = {"x"}; }),
              HasSubstr("only then"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.workload.clear(), spec.command.clear(); }), HasSubstr("only then"));
}

TEST(Border, RefusesNamesThatWouldHurtALogOrATerminal) {
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.name = "a\nb"; }), HasSubstr("\"a?b\", must have no control"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.name = std::string("a\0b", 3); }), HasSubstr("no control"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.name = "a\xff"; }), HasSubstr("must be UTF-8"));
  EXPECT_THAT(spec_refusal([](JobSpec& spec) { spec.name = std::string(257, 'n'); }), HasSubstr("257 bytes"));
  EXPECT_EQ(spec_refusal([](JobSpec& spec) { spec.name = std::string(256, 'n'); }), "taken");
}

TEST(Border, RefusesReasonsThatWouldHurtALogOrATerminal) {
  const auto reason_refusal = [](const std::string& reason) {
    return refusal<CommandNode>([&](CommandNode& command) { command.reason = reason; });
  };
  for (const auto* reason : {"a\nb", "\x1b[31m", "\x7f", "\t"})
    EXPECT_THAT(reason_refusal(reason), HasSubstr("reason: \"")) << reason;
  EXPECT_THAT(reason_refusal("a\nb"), HasSubstr("must have no control characters"));
  EXPECT_THAT(reason_refusal("\xff"), HasSubstr("must be UTF-8"));
  EXPECT_EQ(reason_refusal("fan 3 — später"), "taken");
}

TEST(Border, RefusesTextAndMemoryBeyondTheirSizes) {
  EXPECT_THAT(refusal<LinkBye>([](LinkBye& bye) { bye.text.assign(65'537, 'x'); }), HasSubstr("65537 bytes"));
  EXPECT_EQ(refusal<LinkBye>([](LinkBye& bye) { bye.text.assign(65'536, '\xff'); }), "taken");
  EXPECT_THAT(refusal<RoundPlanned>([](RoundPlanned& answer) { answer.plan.memory.assign(1'048'577, 'm'); }),
              HasSubstr("round_planned.plan.memory: \"1048577 bytes\""));
}

TEST(Border, RefusesEnumsItDoesNotKnow) {
  EXPECT_EQ(refusal<CommandJob>([](CommandJob& command) { command.action = static_cast<JobAction>(4); }),
            "command_job.action: 4, must be 1 to 3");
  EXPECT_THAT(refusal<CommandJob>([](CommandJob& command) { command.action = static_cast<JobAction>(0); }),
              HasSubstr("0, must be"));
  EXPECT_THAT(refusal<LeaseEnded>([](LeaseEnded& ended) { ended.end = static_cast<LeaseEndReason>(6); }),
              HasSubstr("must be 0 to 5"));
}

TEST(Border, RefusesNodesWhoseIndicesNameNoGpu) {
  EXPECT_THAT(refusal<NodeList>([](NodeList& list) {
                list.nodes[0].inventory.gpus = {{"V100", 2}, {"K80", 1}};
                list.nodes[0].idle_gpus = {0, 3};
              }),
              HasSubstr("nodes[0].idle_gpus[1]: 3, must be below the node's number of GPUs, 3"));
  EXPECT_THAT(refusal<NodeHello>([](NodeHello& hello) {
                hello.inventory.gpus = {{"V100", 65'536}, {"K80", 1}};
              }),
              HasSubstr("must be at most 65536 on a node"));
  EXPECT_THAT(refusal<NodeHello>([](NodeHello& hello) {
                hello.inventory.gpus = {{"V100", 0}};
              }),
              HasSubstr("count: 0, must be 1 to 65536"));
}

std::string view_refusal(const std::function<void(JobView&)>& change) {
  return refusal<JobsViewed>([&](JobsViewed& message) {
    auto job = *message.jobs[0];
    change(job);
    message.jobs[0] = std::make_shared<const JobView>(job);
  });
}

TEST(Border, RefusesViewsThatCreditOrIssueTooManySteps) {
  EXPECT_THAT(view_refusal([](JobView& job) { job.steps_total = 5, job.steps_credited = 6; }),
              HasSubstr("jobs[0].steps_credited: 6, must be at most steps_total 5"));
  EXPECT_THAT(view_refusal([](JobView& job) { job.steps_total = 5, job.steps_credited = 3, job.steps_issued = 3; }),
              HasSubstr("steps_issued: 3, must be at most steps_total - steps_credited = 2"));
  EXPECT_EQ(view_refusal([](JobView& job) { job.steps_total = 5, job.steps_credited = 3, job.steps_issued = 2; }),
            "taken");
}

TEST(Border, RefusesRoundsWhoseListsDoNotRise) {
  EXPECT_THAT(refusal<RoundInput>([](RoundInput& input) { std::swap(input.jobs[0], input.jobs[1]); }),
              StartsWith("round_input.jobs[1]: "));
  EXPECT_THAT(refusal<RoundInput>([](RoundInput& input) { input.nodes[1] = input.nodes[0]; }),
              StartsWith("round_input.nodes[1]: "));
  EXPECT_THAT(refusal<RoundPlan>([](RoundPlan& plan) { plan.allocations[1].fork = plan.allocations[0].fork; }),
              StartsWith("round_plan.allocations[1].fork: "));
  EXPECT_THAT(refusal<RoundPlan>([](RoundPlan& plan) { std::swap(plan.outcomes[0], plan.outcomes[1]); }),
              StartsWith("round_plan.outcomes[1]: "));
  EXPECT_THAT(refusal<PriceHistory>([](PriceHistory& history) { history.boards[1] = history.boards[0]; }),
              StartsWith("price_history.boards[1]: "));
}

TEST(Border, RefusesPlansThatGiveNothing) {
  EXPECT_THAT(refusal<RoundPlan>([](RoundPlan& plan) { plan.allocations[0].quota_steps = 0; }),
              HasSubstr("allocations[0].quota_steps: 0"));
  EXPECT_THAT(refusal<RoundPlan>([](RoundPlan& plan) { plan.allocations[0].slices.clear(); }),
              HasSubstr("must name at least one node"));
}

TEST(Border, TakesOnlyFactsAboutNodesToRecord) {
  EXPECT_EQ(refusal<RecordNode>([](RecordNode& record) { record.fact = event::Held{{1}}; }),
            "record_node.fact: \"Held\", must be a fact about a node");
}

TEST(Border, RefusesBlobsThatAreNone) {
  EXPECT_THAT(refusal<StatBlob>([](StatBlob& stat) { stat.blob = {}; }), HasSubstr("must not be empty"));
  EXPECT_THAT(refusal<StatBlob>([](StatBlob& stat) { stat.blob.hash[0] = 'A'; }), HasSubstr("32 lower-case hex"));
  EXPECT_THAT(refusal<LeaseReport>([](LeaseReport& report) {
                report.weights = {"", 1};
              }),
              HasSubstr("weights.size: 1, must be 0 without a hash"));
}

TEST(Border, RefusesChunksOutsideTheirBlob) {
  const auto change = [](std::uint64_t size, std::uint64_t offset) {
    return [=](PutBlobChunk& chunk) {
      chunk.blob.size = size;
      chunk.offset = offset;
      chunk.payload = Payload(std::vector<std::byte>(4));
    };
  };
  EXPECT_EQ(refusal<PutBlobChunk>(change(10, 6)), "taken");
  EXPECT_THAT(refusal<PutBlobChunk>(change(10, 7)), HasSubstr("must be at most the 3 left of the blob"));
  EXPECT_THAT(refusal<PutBlobChunk>(change(10, 11)), HasSubstr("offset: 11, must be at most"));
}

TEST(Border, RefusesAListWithTooManyEntries) {
  EXPECT_THAT(refusal<RevokeLeases>([](RevokeLeases& revoke) { revoke.leases.resize(1'000'001, LeaseId{1}); }),
              HasSubstr("\"1000001 entries\", must be at most 1000000"));
  EXPECT_EQ(refusal<RevokeLeases>([](RevokeLeases& revoke) { revoke.leases.resize(1'000'000, LeaseId{1}); }), "taken");
  EXPECT_THAT(refusal<NodeList>([](NodeList& list) {
                list.nodes.resize(3, list.nodes[0]);
                for (auto& node : list.nodes) node.leases.resize(700'000, LeaseId{1});
              }),
              HasSubstr("nodes[2].leases: \"700000 entries\", all lists of a message"));
}

}  // namespace
}  // namespace hadar
