// The second half of PlanBuilder: naming GPUs, quotas, outcomes.
#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <span>
#include <utility>

#include "actors/policy/plan_builder.hpp"
#include "actors/policy/quotas.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr std::int64_t kWholeBelow = 10000;  // whole numbers of four digits look the same either way

std::string shown(double value) {
  std::array<char, 32> text{};
  const auto whole = static_cast<std::int64_t>(value);
  if (whole >= 0 && whole < kWholeBelow && static_cast<double>(whole) == value)
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), whole).ptr};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 4).ptr;
  return {text.data(), end};
}

std::string types_of(const JobView& job) {
  std::string text;
  for (const auto& type : job.gpu_types) text += (text.empty() ? " of type " : ", ") + type;
  return text;
}

// Whether its GPUs are named with it.
bool named_here(const Grant& grant) {
  return grant.held == nullptr && !grant.rides;
}

std::vector<GpuSlice> ordered(std::vector<GpuSlice> slices) {
  for (auto& slice : slices) std::sort(slice.gpus.begin(), slice.gpus.end());
  std::sort(slices.begin(), slices.end(), [](const auto& a, const auto& b) { return a.node < b.node; });
  return slices;
}

// How many steps forks do together when what they are worth is to be `left`.
std::uint64_t fork_steps(const JobView& view, std::uint64_t left, const std::vector<double>& steps_per_s) {
  if (!view.effective_steps || !view.merge_efficiency) return left;
  const double sum = std::accumulate(steps_per_s.begin(), steps_per_s.end(), 0.0);
  const double most = *std::max_element(steps_per_s.begin(), steps_per_s.end());
  return static_cast<std::uint64_t>(static_cast<double>(left) * sum / (most + *view.merge_efficiency * (sum - most)));
}

}  // namespace

// Turns counted gangs into named GPUs. Repeated allocations keep theirs; then every fork takes what its job holds
// there already, then idle GPUs, then GPUs taken back from others; lowest index first.
class GpuNaming {
 public:
  explicit GpuNaming(const PlanBuilder& builder) : builder_(builder) {}

  // Two passes over all grants in the same order: first `own`, later `rest`.
  void own(std::size_t j, const Gang& gang, std::vector<GpuSlice>& slices) {
    const auto own_job = static_cast<PlanBuilder::Owner>(j);
    for (const auto& part : gang)
      pick(
          part, part.count,
          [&](auto owner, std::uint32_t gpu) {
            const auto& holders = builder_.holders_[builder_.cluster().first_gpu(part.node) + gpu];
            return owner >= 0 && (holders[0] == own_job || holders[1] == own_job);
          },
          slices);
  }

  void rest(const Gang& gang, std::vector<GpuSlice>& slices) {
    for (const auto& part : gang) {
      auto missing = part.count - named(part, slices);
      missing -= pick(
          part, missing, [](auto owner, std::uint32_t) { return owner == PlanBuilder::kIdle; }, slices);
      missing -= pick(
          part, missing, [](auto owner, std::uint32_t) { return owner >= 0; }, slices);
      HADAR_ENSURE(missing == 0);
    }
  }

 private:
  // Who has the GPUs of a node, GPUs of repeated allocations left out.
  std::span<PlanBuilder::Owner> owners_on(std::uint32_t node) {
    if (owners_.empty()) read_owners();
    const auto& cluster = builder_.cluster();
    return {owners_.data() + cluster.first_gpu(node), owners_.data() + cluster.first_gpu(node + 1)};
  }

  void read_owners() {
    owners_ = builder_.owners_;
    for (std::size_t j = 0; j < builder_.jobs(); ++j)
      for (const auto& grant : builder_.grants(j)) {
        if (grant.held == nullptr) continue;
        for (const auto& slice : grant.held->slices) {
          const auto node = builder_.cluster().find_node(slice.node);
          if (node == ClusterIndex::kNone) continue;
          const auto owners = owners_on(node);
          for (const auto gpu : slice.gpus)
            if (gpu < owners.size()) owners[gpu] = PlanBuilder::kUnusable;
        }
      }
  }

  [[nodiscard]] std::uint32_t named(const Part& part, const std::vector<GpuSlice>& slices) const {
    std::uint32_t count = 0;
    for (const auto& slice : slices)
      if (slice.node == builder_.cluster().node_name(part.node))
        for (const auto gpu : slice.gpus)
          if (builder_.cluster().gpu_types(part.node)[gpu] == part.type) ++count;
    return count;
  }

  template <class MayTake>
  std::uint32_t pick(const Part& part, std::uint32_t limit, MayTake may_take, std::vector<GpuSlice>& slices) {
    const auto types = builder_.cluster().gpu_types(part.node);
    const auto owners = owners_on(part.node);
    std::uint32_t picked = 0;
    for (std::uint32_t gpu = 0; gpu < owners.size() && picked < limit; ++gpu) {
      if (!may_take(owners[gpu], gpu) || types[gpu] != part.type) continue;
      owners[gpu] = PlanBuilder::kUnusable;
      slice_on(builder_.cluster().node_name(part.node), slices).gpus.push_back(gpu);
      ++picked;
    }
    return picked;
  }

  static GpuSlice& slice_on(const NodeName& node, std::vector<GpuSlice>& slices) {
    for (auto& slice : slices)
      if (slice.node == node) return slice;
    return slices.emplace_back(GpuSlice{node, {}});
  }

  const PlanBuilder& builder_;
  std::vector<PlanBuilder::Owner> owners_;  // read when the first GPU is to be named
};

Reason PlanBuilder::waiting_reason(std::size_t j) const {
  const auto& view = job(j);
  const auto wanted = static_cast<double>(view.gpus);
  if (!plannable(j))
    return {"waiting_merging",
            "its forks have ended and their weights are being merged",
            {{"steps_left", static_cast<double>(view.steps_left())}}};
  std::uint32_t installed = 0;
  for (std::uint32_t type = 0; type < cluster_.types(); ++type)
    if (allows(j, type)) installed += cluster_.installed(type);
  const auto wants = "wants " + std::to_string(view.gpus) + " GPUs" + types_of(view) + "; ";
  if (installed < view.gpus)
    return {"waiting_node_unavailable",
            wants + "the nodes that are up have " + std::to_string(installed),
            {{"wanted", wanted}, {"usable", static_cast<double>(installed)}}};
  const auto idle = free_for(j);
  if (idle == 0) return {"waiting_gpus_busy", wants + "none is idle", {{"wanted", wanted}, {"idle", 0.0}}};
  if (idle < view.gpus)
    return {"waiting_gang",
            wants + "only " + std::to_string(idle) + " free at once",
            {{"wanted", wanted}, {"free", static_cast<double>(idle)}}};
  return {"waiting_not_chosen",
          wants + std::to_string(idle) + " are free, but the policy chose to leave it waiting",
          {{"wanted", wanted}, {"free", static_cast<double>(idle)}}};
}

Outcome PlanBuilder::outcome(std::size_t j, std::span<const Allocation> planned) const {
  const auto& view = job(j);
  if (planned.empty()) {
    if (states_[j].explained) return *states_[j].explained;
    return {view.job, OutcomeKind::kWaiting, waiting_reason(j)};
  }
  double speed = 0;
  for (const auto& grant : grants(j))
    for (const auto& allocation : planned)
      if (allocation.fork.fork == grant.fork) speed += grant.steps_per_s;
  const auto forks = static_cast<double>(planned.size());
  const auto gpus = forks * static_cast<double>(view.gpus);
  std::string text;
  text.reserve(64);
  text.append(shown(gpus)).append(" GPUs in ").append(shown(forks));
  text.append(planned.size() == 1 ? " fork, " : " forks, ").append(shown(speed)).append(" steps/s expected");
  Outcome granted{view.job, OutcomeKind::kGranted, {"granted", std::move(text), {}}};
  auto& numbers = granted.reason.numbers;  // in their order: every job of every plan has them
  numbers.emplace_hint(numbers.end(), "forks", forks);
  numbers.emplace_hint(numbers.end(), "gpus", gpus);
  numbers.emplace_hint(numbers.end(), "steps_per_s", speed);
  return granted;
}

// A fork that renews itself gets all there is; forks that end at the border share by speed. Those of repeated
// allocations are not looked at.
void PlanBuilder::share_quotas(std::size_t j, std::span<std::uint64_t> quotas) const {
  std::vector<std::size_t> sharing;
  std::vector<double> speeds;
  std::vector<double> usable;
  for (std::size_t g = 0; g < grants(j).size(); ++g) {
    const auto& grant = grants(j)[g];
    if (grant.held != nullptr) continue;
    if (!grant.ends_at_border) {
      quotas.front() = steps_available(j);
      return;
    }
    sharing.push_back(g);
    speeds.push_back(grant.steps_per_s);
    usable.push_back(grant.usable_s);
  }
  if (sharing.empty()) return;
  const auto shares = fork_quotas(fork_steps(job(j), steps_available(j), speeds), speeds, usable);
  for (std::size_t i = 0; i < sharing.size(); ++i) quotas[sharing[i]] = shares[i];
}

RoundPlan PlanBuilder::finish(std::string memory) const {
  RoundPlan plan;
  plan.round = input_->round;
  plan.memory = std::move(memory);
  std::vector<std::size_t> first(1, 0);  // grants of all jobs are numbered through
  first.reserve(jobs() + 1);
  for (std::size_t j = 0; j < jobs(); ++j) first.push_back(first.back() + grants(j).size());
  std::vector<std::uint64_t> quotas(first.back(), 1);
  std::vector<std::vector<GpuSlice>> slices(first.back());
  GpuNaming naming(*this);
  for (std::size_t j = 0; j < jobs(); ++j) {
    share_quotas(j, std::span(quotas).subspan(first[j], grants(j).size()));
    for (std::size_t g = 0; g < grants(j).size(); ++g)
      if (quotas[first[j] + g] > 0 && named_here(grants(j)[g])) naming.own(j, grants(j)[g].gang, slices[first[j] + g]);
  }
  for (std::size_t j = 0; j < jobs(); ++j)
    for (std::size_t g = 0; g < grants(j).size(); ++g) {
      const auto at = first[j] + g;
      if (quotas[at] == 0 || !named_here(grants(j)[g])) continue;
      naming.rest(grants(j)[g].gang, slices[at]);
      slices[at] = ordered(std::move(slices[at]));
    }
  // The GPUs of a grant that rides are its partner's, whose grant is its only one.
  const auto slices_of = [&](std::size_t j, std::size_t g) -> const std::vector<GpuSlice>& {
    const auto& grant = grants(j)[g];
    if (!grant.rides) return slices[first[j] + g];
    const auto& lead = grants(*grant.partner).front();
    return lead.held != nullptr ? lead.held->slices : slices[first[*grant.partner]];
  };
  plan.allocations.reserve(first.back());
  plan.outcomes.reserve(jobs());
  for (std::size_t j = 0; j < jobs(); ++j) {
    const auto begin = plan.allocations.size();
    for (std::size_t g = 0; g < grants(j).size(); ++g) {
      const auto& grant = grants(j)[g];
      const auto quota = quotas[first[j] + g];
      if (grant.held != nullptr) plan.allocations.push_back(*grant.held);
      if (grant.held != nullptr || quota == 0) continue;
      plan.allocations.push_back({{job(j).job, grant.fork},
                                  slices_of(j, g),
                                  quota,
                                  grant.ends_at_border,
                                  grant.steps_per_s,
                                  grant.partner ? job(*grant.partner).job : JobId{}});
    }
    const std::span planned(plan.allocations.begin() + static_cast<std::ptrdiff_t>(begin), plan.allocations.end());
    std::sort(planned.begin(), planned.end(), [](const auto& a, const auto& b) { return a.fork < b.fork; });
    plan.outcomes.push_back(outcome(j, planned));
  }
  return plan;
}

}  // namespace hadar
