#include "messages/codec/round_wire.hpp"

#include <tuple>

#include "messages/codec/cluster_wire.hpp"
#include "messages/codec/common_wire.hpp"

namespace hadar::wire {
namespace {

void check_steps(const hadar::JobView& job, const Where& at) {
  if (job.steps_credited > job.steps_total)
    refuse(at / "steps_credited", job.steps_credited, "must be at most steps_total " + std::to_string(job.steps_total));
  if (job.steps_issued > job.steps_total - job.steps_credited)
    refuse(at / "steps_issued", job.steps_issued,
           "must be at most steps_total - steps_credited = " + std::to_string(job.steps_total - job.steps_credited));
}

void check_plan(const hadar::RoundPlan& plan, const Where& at) {
  const auto where = at / "allocations";
  for (std::size_t i = 0; i < plan.allocations.size(); ++i) {
    const auto& allocation = plan.allocations[i];
    at_least_one(allocation.quota_steps, where[i] / "quota_steps");
    if (i > 0 && !(plan.allocations[i - 1].fork < allocation.fork))
      refuse(where[i] / "fork", std::to_string(allocation.fork.job.value) + "." + std::to_string(allocation.fork.fork),
             "must come after the fork before it");
  }
  check_rising(
      plan.outcomes, [](const auto& outcome) { return outcome.job.value; }, at / "outcomes");
}

}  // namespace

void build(Estimate::Builder out, const hadar::Estimate& in) {
  out.setType(text(in.type));
  out.setPlacement(static_cast<Placement>(in.placement));
  out.setStepsPerS(in.steps_per_s);
  out.setSource(static_cast<EstimateSource>(in.source));
}

hadar::Estimate read(Estimate::Reader in, const Where& at) {
  hadar::Estimate out;
  out.type = read_name(in.getType(), at / "type");
  out.placement = read_enum<hadar::Placement>(in.getPlacement(), 1, 2, at / "placement");
  out.steps_per_s = not_negative(in.getStepsPerS(), at / "steps_per_s");
  out.source = read_enum<hadar::EstimateSource>(in.getSource(), 1, 3, at / "source");
  return out;
}

void build(PairEstimate::Builder out, const hadar::PairEstimate& in) {
  out.setAModel(text(in.a.model));
  out.setABatchSize(in.a.batch_size);
  out.setBModel(text(in.b.model));
  out.setBBatchSize(in.b.batch_size);
  out.setGpus(in.gpus);
  out.setType(text(in.type));
  out.setAStepsPerS(in.a_steps_per_s);
  out.setBStepsPerS(in.b_steps_per_s);
}

hadar::PairEstimate read(PairEstimate::Reader in, const Where& at) {
  hadar::PairEstimate out;
  out.a = {read_name(in.getAModel(), at / "a_model"), in.getABatchSize()};
  out.b = {read_name(in.getBModel(), at / "b_model"), in.getBBatchSize()};
  out.gpus = at_least_one(in.getGpus(), at / "gpus");
  out.type = read_name(in.getType(), at / "type");
  out.a_steps_per_s = not_negative(in.getAStepsPerS(), at / "a_steps_per_s");
  out.b_steps_per_s = not_negative(in.getBStepsPerS(), at / "b_steps_per_s");
  return out;
}

void check_pairs(const hadar::PairTable& pairs, const Where& at) {
  const auto place = [](const hadar::PairEstimate& pair) { return std::tie(pair.a, pair.b, pair.gpus, pair.type); };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].b < pairs[i].a) refuse(at[i] / "b_model", pairs[i].b.model, "must not come before a_model");
    if (i > 0 && !(place(pairs[i - 1]) < place(pairs[i])))
      refuse(at[i] / "a_model", pairs[i].a.model, "must come after the pair before it");
  }
}

void build(GpuSlice::Builder out, const hadar::GpuSlice& in) {
  out.setNode(text(in.node));
  build_list(in.gpus, [&](auto size) { return out.initGpus(size); });
}

hadar::GpuSlice read(GpuSlice::Reader in, const Where& at) {
  hadar::GpuSlice out;
  out.node = read_name(in.getNode(), at / "node");
  out.gpus = read_gpus(in.getGpus(), at / "gpus");
  return out;
}

void build(Allocation::Builder out, const hadar::Allocation& in) {
  build(out.initFork(), in.fork);
  build_list(in.slices, [&](auto size) { return out.initSlices(size); });
  out.setQuotaSteps(in.quota_steps);
  out.setEndsAtBorder(in.ends_at_border);
  out.setStepsPerS(in.steps_per_s);
  out.setSharesWith(in.shares_with.value);
}

hadar::Allocation read(Allocation::Reader in, const Where& at) {
  hadar::Allocation out;
  out.fork = read(in.getFork(), at / "fork");
  out.slices = read_list(in.getSlices(), at / "slices");
  out.quota_steps = in.getQuotaSteps();
  out.ends_at_border = in.getEndsAtBorder();
  out.steps_per_s = not_negative(in.getStepsPerS(), at / "steps_per_s");
  out.shares_with = JobId{in.getSharesWith()};
  if (out.slices.empty()) refuse(at / "slices", "empty", "must name at least one node");
  return out;
}

void build(JobView::Builder out, const hadar::JobView& in) {
  out.setJob(in.job.value);
  out.setModel(text(in.model));
  out.setBatchSize(in.batch_size);
  out.setGpus(in.gpus);
  build_list(in.gpu_types, [&](auto size) { return out.initGpuTypes(size); });
  out.setForkable(in.forkable);
  out.setProportionalBatch(in.proportional_batch);
  out.setWeight(in.weight);
  out.setDeadlineTS(in.deadline_t_s);
  out.setUser(text(in.user));
  out.setSubmittedTS(in.submitted_t_s);
  out.setHasStartedTS(in.started_t_s.has_value());
  out.setStartedTS(in.started_t_s.value_or(0));
  out.setStepsTotal(in.steps_total);
  out.setStepsCredited(in.steps_credited);
  out.setStepsIssued(in.steps_issued);
  out.setAttainedServiceGpuS(in.attained_service_gpu_s);
  out.setMergeS(in.merge_s);
  out.setModelBytes(in.model_bytes);
  out.setMerging(in.merging);
  build_list(in.estimates, [&](auto size) { return out.initEstimates(size); });
  build_list(in.held, [&](auto size) { return out.initHeld(size); });
  out.setHasMergeEfficiency(in.merge_efficiency.has_value());
  out.setMergeEfficiency(in.merge_efficiency.value_or(0));
  out.setEffectiveSteps(in.effective_steps);
}

hadar::JobView read(JobView::Reader in, const Where& at) {
  hadar::JobView out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.model = read_optional_name(in.getModel(), at / "model");
  out.batch_size = at_least_one(in.getBatchSize(), at / "batch_size");
  out.gpus = gang_size(in.getGpus(), at / "gpus");
  out.gpu_types = read_names(in.getGpuTypes(), at / "gpu_types");
  out.forkable = in.getForkable();
  out.proportional_batch = in.getProportionalBatch();
  out.weight = positive(in.getWeight(), at / "weight");
  out.deadline_t_s = not_negative(in.getDeadlineTS(), at / "deadline_t_s");
  out.user = read_optional_name(in.getUser(), at / "user");
  out.submitted_t_s = not_negative(in.getSubmittedTS(), at / "submitted_t_s");
  if (in.getHasStartedTS()) out.started_t_s = not_negative(in.getStartedTS(), at / "started_t_s");
  out.steps_total = in.getStepsTotal();
  out.steps_credited = in.getStepsCredited();
  out.steps_issued = in.getStepsIssued();
  out.attained_service_gpu_s = not_negative(in.getAttainedServiceGpuS(), at / "attained_service_gpu_s");
  out.merge_s = not_negative(in.getMergeS(), at / "merge_s");
  out.model_bytes = in.getModelBytes();
  out.merging = in.getMerging();
  out.estimates = read_list(in.getEstimates(), at / "estimates");
  out.held = read_list(in.getHeld(), at / "held");
  if (in.getHasMergeEfficiency()) out.merge_efficiency = part_of_one(in.getMergeEfficiency(), at / "merge_efficiency");
  out.effective_steps = in.getEffectiveSteps();
  check_steps(out, at);
  return out;
}

void build(NodeCapacity::Builder out, const hadar::NodeCapacity& in) {
  out.setNode(text(in.node));
  build_list(in.gpus, [&](auto size) { return out.initGpus(size); });
  build_list(in.idle_gpus, [&](auto size) { return out.initIdleGpus(size); });
  out.setPcieGbS(in.pcie_gb_s);
  out.setNetGbS(in.net_gb_s);
}

hadar::NodeCapacity read(NodeCapacity::Reader in, const Where& at) {
  hadar::NodeCapacity out;
  out.node = read_name(in.getNode(), at / "node");
  out.gpus = read_list(in.getGpus(), at / "gpus");
  out.idle_gpus = read_numbers(in.getIdleGpus(), at / "idle_gpus");
  out.pcie_gb_s = not_negative(in.getPcieGbS(), at / "pcie_gb_s");
  out.net_gb_s = not_negative(in.getNetGbS(), at / "net_gb_s");
  check_gpu_count(out.gpus, at / "gpus");
  check_indices(out.idle_gpus, out.gpus, at / "idle_gpus");
  return out;
}

void build(PriceBoard::Builder out, const hadar::PriceBoard& in) {
  out.setRound(in.round.value);
  out.setStale(in.stale);
  out.setExponential(in.exponential);
  build_list(in.price, [&](auto size) { return out.initPrice(size); });
  build_list(in.u_min, [&](auto size) { return out.initUMin(size); });
  build_list(in.u_max, [&](auto size) { return out.initUMax(size); });
}

hadar::PriceBoard read(PriceBoard::Reader in, const Where& at) {
  hadar::PriceBoard out;
  out.round = RoundId{in.getRound()};
  out.stale = in.getStale();
  out.exponential = in.getExponential();
  out.price = read_map(in.getPrice(), at / "price", not_negative);
  out.u_min = read_map(in.getUMin(), at / "u_min", not_negative);
  out.u_max = read_map(in.getUMax(), at / "u_max", not_negative);
  return out;
}

void build(RoundInput::Builder out, const hadar::RoundInput& in) {
  out.setRound(in.round.value);
  out.setEarly(in.early);
  out.setNowS(in.now_s);
  out.setRoundS(in.round_s);
  out.setWindowS(in.window_s);
  out.setSeed(in.seed);
  build_list(in.jobs, [&](auto size) { return out.initJobs(size); });
  build_list(in.nodes, [&](auto size) { return out.initNodes(size); });
  build(out.initPrices(), in.prices);
  out.setMemory(data(in.memory));
  build_list(in.pairs, [&](auto size) { return out.initPairs(size); });
}

hadar::RoundInput read(RoundInput::Reader in, const Where& at) {
  hadar::RoundInput out;
  out.round = RoundId{in.getRound()};
  out.early = in.getEarly();
  out.now_s = not_negative(in.getNowS(), at / "now_s");
  out.round_s = not_negative(in.getRoundS(), at / "round_s");
  out.window_s = not_negative(in.getWindowS(), at / "window_s");
  out.seed = in.getSeed();
  out.jobs = read_shared_list(in.getJobs(), at / "jobs");
  out.nodes = read_list(in.getNodes(), at / "nodes");
  out.prices = read(in.getPrices(), at / "prices");
  out.memory = read_memory(in.getMemory(), at / "memory");
  out.pairs = read_list(in.getPairs(), at / "pairs");
  check_pairs(out.pairs, at / "pairs");
  check_rising(
      out.jobs, [](const auto& job) { return job->job.value; }, at / "jobs");
  check_rising(
      out.nodes, [](const auto& node) -> const std::string& { return node.node; }, at / "nodes");
  return out;
}

void build(Outcome::Builder out, const hadar::Outcome& in) {
  out.setJob(in.job.value);
  out.setKind(static_cast<OutcomeKind>(in.kind));
  build(out.initReason(), in.reason);
}

hadar::Outcome read(Outcome::Reader in, const Where& at) {
  hadar::Outcome out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.kind = read_enum<hadar::OutcomeKind>(in.getKind(), 1, 3, at / "kind");
  out.reason = read(in.getReason(), at / "reason");
  return out;
}

void build(RoundPlan::Builder out, const hadar::RoundPlan& in) {
  out.setRound(in.round.value);
  build_list(in.allocations, [&](auto size) { return out.initAllocations(size); });
  build_list(in.outcomes, [&](auto size) { return out.initOutcomes(size); });
  out.setMemory(data(in.memory));
}

hadar::RoundPlan read(RoundPlan::Reader in, const Where& at) {
  hadar::RoundPlan out;
  out.round = RoundId{in.getRound()};
  out.allocations = read_list(in.getAllocations(), at / "allocations");
  out.outcomes = read_list(in.getOutcomes(), at / "outcomes");
  out.memory = read_memory(in.getMemory(), at / "memory");
  check_plan(out, at);
  return out;
}

}  // namespace hadar::wire
