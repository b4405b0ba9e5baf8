#include "actors/policy/plan_builder.hpp"

#include <algorithm>
#include <utility>

#include "actors/policy/gang_speed.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

std::string named(const JobView& job) {
  return "job " + std::to_string(job.job.value);
}

Status refused(const JobView& job, std::uint32_t fork, const std::string& rule) {
  return fail(ErrorCode::kRefused, named(job) + ", fork " + std::to_string(fork) + ": " + rule);
}

bool renews_itself(const Allocation& held) {
  return !held.ends_at_border;
}

}  // namespace

PlanBuilder::PlanBuilder(const RoundInput& input, ClusterIndex cluster)
    : input_(&input), cluster_(std::move(cluster)), states_(input.jobs.size()), speeds_(input.jobs.size()) {
  const auto gpus = cluster_.first_gpu(cluster_.nodes());
  owners_.assign(gpus, kUnusable);
  holders_.assign(gpus, {kNobody, kNobody});
  free_.assign(std::size_t{cluster_.nodes()} * cluster_.types(), 0);
  idle_.assign(free_.size(), 0);
  free_of_type_.assign(cluster_.types(), 0);
  allowed_.reserve(states_.size() * cluster_.types());
}

Result<PlanBuilder> PlanBuilder::make(const RoundInput& input) {
  if (!(input.window_s > 0) || !(input.round_s > 0))
    return fail(ErrorCode::kInvalidArgument, "round input: window_s and round_s must be above 0");
  auto cluster = ClusterIndex::make(input.nodes);
  if (!cluster) return fail(std::move(cluster));
  PlanBuilder builder(input, *std::move(cluster));
  if (auto read = builder.read_idle(); !read) return fail(std::move(read));
  if (auto read = builder.read_jobs(); !read) return fail(std::move(read));
  builder.count_free();
  return builder;
}

const JobSpeeds& PlanBuilder::speeds(std::size_t j) const {
  if (speeds_[j].types() != cluster_.types()) speeds_[j] = JobSpeeds(job(j), cluster_.type_names());
  return speeds_[j];
}

const std::vector<JobSpeeds>& PlanBuilder::speeds() const {
  for (std::size_t j = 0; j < jobs(); ++j) (void)speeds(j);
  return speeds_;
}

void PlanBuilder::count_free() {
  for (std::uint32_t node = 0; node < cluster_.nodes(); ++node) {
    const auto owners = owners_on(node);
    const auto types = cluster_.gpu_types(node);
    auto* const free_here = free_.data() + std::size_t{node} * cluster_.types();
    auto* const idle_here = idle_.data() + std::size_t{node} * cluster_.types();
    for (std::size_t gpu = 0; gpu < owners.size(); ++gpu) {
      free_here[types[gpu]] += owners[gpu] >= kIdle ? 1 : 0;
      idle_here[types[gpu]] += owners[gpu] == kIdle ? 1 : 0;
    }
    for (std::uint32_t type = 0; type < cluster_.types(); ++type) free_of_type_[type] += free_here[type];
  }
  for (std::uint32_t node = 0; node < cluster_.nodes(); ++node)
    if (node > 0 && alike(node - 1, node))
      groups_.put_beside(node, node - 1);
    else
      regroup(node);
}

// Nodes of the same GPUs, as many of them free and idle. Most neighbours are.
bool PlanBuilder::alike(std::uint32_t a, std::uint32_t b) const {
  const auto types = cluster_.types();
  const auto same = [&](const auto& counts) {
    const auto of_a = counts.begin() + static_cast<std::ptrdiff_t>(std::size_t{a} * types);
    return std::equal(of_a, of_a + types, counts.begin() + static_cast<std::ptrdiff_t>(std::size_t{b} * types));
  };
  return same(free_) && same(idle_) && std::ranges::equal(cluster_.gpu_types(a), cluster_.gpu_types(b));
}

void PlanBuilder::regroup(std::uint32_t node) {
  counts_.clear();
  for (std::uint32_t type = 0; type < cluster_.types(); ++type) counts_.push_back(free(node, type));
  for (std::uint32_t type = 0; type < cluster_.types(); ++type) counts_.push_back(idle(node, type));
  if (input_->prices.exponential) {
    counts_.resize(counts_.size() + cluster_.types(), 0);
    const auto installed = counts_.end() - cluster_.types();
    for (const auto type : cluster_.gpu_types(node)) ++installed[type];
  }
  groups_.put(node, counts_);
}

Status PlanBuilder::read_idle() {
  for (std::uint32_t node = 0; node < cluster_.nodes(); ++node) {
    const auto owners = owners_on(node);
    for (const auto gpu : input_->nodes[node].idle_gpus) {
      if (gpu >= owners.size())
        return fail(ErrorCode::kInvalidArgument, "round input, node \"" + cluster_.node_name(node) + "\": idle GPU " +
                                                     std::to_string(gpu) + " of only " + std::to_string(owners.size()));
      owners[gpu] = kIdle;
    }
  }
  return {};
}

Status PlanBuilder::read_jobs() {
  for (std::size_t j = 0; j < states_.size(); ++j) {
    if (input_->jobs[j] == nullptr)
      return fail(ErrorCode::kInvalidArgument, "round input, job " + std::to_string(j) + ": is missing");
    const auto& view = job(j);
    if (j > 0 && !(job(j - 1).job < view.job))
      return fail(ErrorCode::kInvalidArgument, "round input, " + named(view) + ": job ids must rise and be unique");
    for (const auto& type : cluster_.type_names())
      allowed_.push_back(view.gpu_types.empty() ||
                         std::find(view.gpu_types.begin(), view.gpu_types.end(), type) != view.gpu_types.end());
    if (auto read = read_held(j); !read) return read;
  }
  return {};
}

// The steps of a job whose leases are all about to end are not worth a move: it is left alone until they have.
Status PlanBuilder::read_held(std::size_t j) {
  const auto& view = job(j);
  auto& state = states_[j];
  std::uint64_t undone = view.steps_unissued();
  bool ending = false;
  for (const auto& held : view.held) {
    undone += held.quota_steps;
    ending = ending || !renews_itself(held);
  }
  const bool done_soon = undone == 0;
  state.fixed = input_->early || view.merging || done_soon;
  state.plannable = !view.merging && !done_soon && (input_->early || !ending);
  for (const auto& held : view.held) {
    for (const auto& slice : held.slices) {
      const auto node = cluster_.find_node(slice.node);
      if (node == ClusterIndex::kNone) continue;
      if (auto claimed = claim(j, slice, node, held); !claimed) return claimed;
    }
    if (!state.fixed) continue;
    state.grants.push_back(repeated(j, held));
    ++state.fixed_grants;
  }
  return {};
}

// Two jobs may hold a GPU when their allocations are the very same GPUs; it is immovable when one of them is.
Status PlanBuilder::claim(std::size_t j, const GpuSlice& slice, std::uint32_t node, const Allocation& held) {
  const auto owners = owners_on(node);
  for (const auto gpu : slice.gpus) {
    if (gpu >= owners.size()) continue;
    auto& holders = holders_[cluster_.first_gpu(node) + gpu];
    const bool shares = holders[0] >= 0 && holders[1] < 0 && static_cast<std::size_t>(holders[0]) != j &&
                        holds_same(static_cast<std::size_t>(holders[0]), held);
    if (holders[0] >= 0 && !shares)
      return fail(ErrorCode::kInvalidArgument, "round input, " + named(job(j)) + ": GPU " + std::to_string(gpu) +
                                                   " of node \"" + slice.node + "\" is held twice");
    holders[shares ? 1 : 0] = static_cast<Owner>(j);
    auto& owner = owners[gpu];
    if (states_[j].fixed || (shares && owner == kFixed))
      owner = kFixed;
    else if (!shares)
      owner = static_cast<Owner>(j);
  }
  return {};
}

bool PlanBuilder::holds_same(std::size_t j, const Allocation& held) const {
  return std::any_of(job(j).held.begin(), job(j).held.end(),
                     [&](const Allocation& other) { return other.slices == held.slices; });
}

// Which of its held allocations is a gang of this shape that could go on.
std::optional<std::size_t> PlanBuilder::held_as(std::size_t j, const Gang& gang) const {
  if (states_[j].fixed) return std::nullopt;
  for (std::size_t h = 0; h < job(j).held.size(); ++h)
    if (renews_itself(job(j).held[h]) && cluster_.gang_of(job(j).held[h]) == gang) return h;
  return std::nullopt;
}

Gang PlanBuilder::known_part(const Allocation& allocation) const {
  Gang gang;
  for (const auto& slice : allocation.slices) {
    const auto node = cluster_.find_node(slice.node);
    if (node == ClusterIndex::kNone) continue;
    const auto types = cluster_.gpu_types(node);
    for (const auto gpu : slice.gpus)
      if (gpu < types.size()) add_gpu(gang, node, types[gpu]);
  }
  return normalized(std::move(gang));
}

// A lease does not say how fast it was expected to be; the estimates do.
Grant PlanBuilder::repeated(std::size_t j, const Allocation& held) const {
  Grant grant{held.fork.fork, known_part(held), held.steps_per_s, held.ends_at_border, 0, &held};
  if (grant.steps_per_s <= 0 && size_of(grant.gang) == job(j).gpus)
    grant.steps_per_s = gang_speed(*this, j, grant.gang);
  return grant;
}

std::uint64_t PlanBuilder::steps_available(std::size_t j) const {
  const auto& view = job(j);
  std::uint64_t steps = view.steps_unissued();
  if (states_[j].fixed) return steps;
  for (const auto& held : view.held) {
    const auto& grants = states_[j].grants;
    const bool repeated =
        std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) { return grant.held == &held; });
    if (!repeated) steps += held.quota_steps;
  }
  return std::min(steps, view.steps_left());
}

bool PlanBuilder::on_node(std::size_t j, std::uint32_t node) const {
  for (const auto& grant : states_[j].grants)
    for (const auto& part : grant.gang)
      if (part.node == node) return true;
  return false;
}

std::uint32_t PlanBuilder::unused_fork(std::size_t j) const {
  const auto used = [&](std::uint32_t fork) {
    for (const auto& grant : states_[j].grants)
      if (grant.fork == fork) return true;
    for (const auto& held : job(j).held)
      if (held.fork.fork == fork) return true;
    return false;
  };
  std::uint32_t fork = 0;
  while (used(fork)) ++fork;
  return fork;
}

std::uint32_t PlanBuilder::free_for(std::size_t j) const {
  std::uint32_t gpus = 0;
  for (std::uint32_t type = 0; type < cluster_.types(); ++type)
    if (allows(j, type)) gpus += free_of_type_[type];
  return gpus;
}

void PlanBuilder::take(const Grant& grant) {
  if (grant.rides) return;
  for (const auto& part : grant.gang) {
    const auto cell = part.node * cluster_.types() + part.type;
    HADAR_ENSURE(free_[cell] >= part.count);
    free_[cell] -= part.count;
    free_of_type_[part.type] -= part.count;
    if (grant.held == nullptr) idle_[cell] -= part.count;
    regroup(part.node);
  }
}

void PlanBuilder::give_back(const Grant& grant) {
  if (grant.rides) return;
  for (const auto& part : grant.gang) {
    const auto cell = part.node * cluster_.types() + part.type;
    free_[cell] += part.count;
    free_of_type_[part.type] += part.count;
    if (grant.held == nullptr) idle_[cell] += part.count;
    regroup(part.node);
  }
}

void PlanBuilder::add(std::size_t j, Grant grant) {
  take(grant);
  auto& grants = states_[j].grants;
  log_.push_back({true, static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(grants.size()), {}});
  grants.push_back(std::move(grant));
}

Status PlanBuilder::keep(std::size_t j, std::size_t held) {
  HADAR_REQUIRE(j < states_.size() && held < job(j).held.size());
  const auto& allocation = job(j).held[held];
  const auto fork = allocation.fork.fork;
  if (states_[j].fixed) return refused(job(j), fork, "its allocation is immovable and repeated by itself");
  if (!renews_itself(allocation)) return refused(job(j), fork, "its allocation ends at the border, it cannot go on");
  if (!states_[j].grants.empty()) return refused(job(j), fork, "a fork that renews itself must be the only one");
  auto grant = repeated(j, allocation);
  for (const auto& part : grant.gang)
    if (free(part.node, part.type) < part.count) return refused(job(j), fork, "its GPUs are given away already");
  add(j, std::move(grant));
  return {};
}

Status PlanBuilder::check(std::size_t j, const Grant& grant) const {
  const auto& view = job(j);
  const auto& grants = states_[j].grants;
  if (!plannable(j)) return refused(view, grant.fork, "the job is not plannable now");
  if (size_of(grant.gang) != view.gpus)
    return refused(
        view, grant.fork,
        "a gang of " + std::to_string(size_of(grant.gang)) + " GPUs, the job wants " + std::to_string(view.gpus));
  if (!(grant.steps_per_s > 0)) return refused(view, grant.fork, "the expected speed must be above 0 steps/s");
  if (steps_available(j) == 0) return refused(view, grant.fork, "all steps are issued");
  if (!grants.empty()) {
    if (!view.forkable) return refused(view, grant.fork, "the job is not forkable and has a place already");
    if (!grant.ends_at_border || !grants.front().ends_at_border)
      return refused(view, grant.fork, "a fork that renews itself must be the only one");
  }
  for (const auto& other : grants)
    if (other.fork == grant.fork) return refused(view, grant.fork, "has a place already");
  return check_parts(j, grant);
}

Status PlanBuilder::check_parts(std::size_t j, const Grant& grant) const {
  const auto& view = job(j);
  for (const auto& part : grant.gang) {
    if (part.node >= cluster_.nodes() || part.type >= cluster_.types())
      return refused(view, grant.fork, "no such node or type");
    const auto& type = cluster_.type_name(part.type);
    const auto& node = cluster_.node_name(part.node);
    if (!allows(j, part.type)) return refused(view, grant.fork, "GPU type " + type + " is not allowed");
    if (!grant.rides && free(part.node, part.type) < part.count)
      return refused(view, grant.fork,
                     "only " + std::to_string(free(part.node, part.type)) + " GPUs of " + type + " free on " + node);
    if (on_node(j, part.node)) return refused(view, grant.fork, "another fork is on " + node);
  }
  return {};
}

Status PlanBuilder::allocate(std::size_t j, std::uint32_t fork, const Gang& wanted, double steps_per_s) {
  HADAR_REQUIRE(j < states_.size());
  Grant grant{fork, normalized(wanted), steps_per_s, false, 0, nullptr};
  const auto& view = job(j);
  for (std::size_t h = 0; h < view.held.size() && !states_[j].fixed; ++h)
    if (renews_itself(view.held[h]) && view.held[h].fork.fork == fork && cluster_.gang_of(view.held[h]) == grant.gang)
      return keep(j, h);
  if (auto allowed = check(j, grant); !allowed) return allowed;
  add(j, std::move(grant));
  return {};
}

Status PlanBuilder::allocate_shared(std::size_t a, std::size_t b, const Gang& wanted, double a_steps_per_s,
                                    double b_steps_per_s) {
  HADAR_REQUIRE(a < states_.size() && b < states_.size() && a != b);
  const auto gang = normalized(wanted);
  if (job(a).gpus != job(b).gpus) return refused(job(a), 0, "jobs that share GPUs must have gangs of one size");
  if (has_grant(a) || has_grant(b)) return refused(job(a), 0, "one of the two has a place already");
  const auto held_a = held_as(a, gang);
  const auto held_b = held_as(b, gang);
  const bool together = held_a && held_b && job(a).held[*held_a].slices == job(b).held[*held_b].slices;
  const auto point = checkpoint();
  const auto lead = held_a || !held_b ? a : b;  // names the GPUs
  const auto rider = lead == a ? b : a;
  if (auto placed = allocate(lead, 0, gang, lead == a ? a_steps_per_s : b_steps_per_s); !placed) return placed;
  Grant grant{0, gang, rider == a ? a_steps_per_s : b_steps_per_s, false, 0, nullptr, lead, true};
  if (together) {
    grant.held = &job(rider).held[rider == a ? *held_a : *held_b];
    grant.fork = grant.held->fork.fork;
  } else if (auto allowed = check(rider, grant); !allowed) {
    rollback(point);
    return allowed;
  }
  states_[lead].grants.back().partner = rider;
  add(rider, std::move(grant));
  return {};
}

Status PlanBuilder::allocate_fork(std::size_t j, std::uint32_t fork, const Gang& wanted, double steps_per_s,
                                  double usable_s) {
  HADAR_REQUIRE(j < states_.size());
  Grant grant{fork, normalized(wanted), steps_per_s, true, usable_s, nullptr};
  if (!(usable_s > 0)) return refused(job(j), fork, "the time to train must be above 0 s");
  if (auto allowed = check(j, grant); !allowed) return allowed;
  add(j, std::move(grant));
  return {};
}

Status PlanBuilder::release(std::size_t j, std::uint32_t fork) {
  HADAR_REQUIRE(j < states_.size());
  auto& grants = states_[j].grants;
  const auto it = std::find_if(grants.begin(), grants.end(), [&](const Grant& grant) { return grant.fork == fork; });
  if (it == grants.end())
    return fail(ErrorCode::kNotFound, named(job(j)) + ", fork " + std::to_string(fork) + ": has no place in this plan");
  const auto place = static_cast<std::uint32_t>(it - grants.begin());
  if (place < states_[j].fixed_grants) return refused(job(j), fork, "its allocation is immovable");
  if (it->partner) return refused(job(j), fork, "it shares its GPUs; roll back instead");
  give_back(*it);
  log_.push_back({false, static_cast<std::uint32_t>(j), place, std::move(*it)});
  grants.erase(it);
  return {};
}

void PlanBuilder::rollback(std::size_t point) {
  HADAR_REQUIRE(point <= log_.size());
  while (log_.size() > point) {
    auto& change = log_.back();
    auto& grants = states_[change.job].grants;
    const auto at = grants.begin() + static_cast<std::ptrdiff_t>(change.place);
    if (change.added) {
      give_back(*at);
      grants.erase(at);
    } else {
      take(change.grant);
      grants.insert(at, std::move(change.grant));
    }
    log_.pop_back();
  }
}

void PlanBuilder::explain(std::size_t j, Reason reason, OutcomeKind kind) {
  states_[j].explained = std::make_unique<Outcome>(Outcome{job(j).job, kind, std::move(reason)});
}

}  // namespace hadar
