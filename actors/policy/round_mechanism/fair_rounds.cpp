#include "actors/policy/round_mechanism/fair_rounds.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "actors/policy/gang_speed.hpp"
#include "actors/policy/round_mechanism/share_question.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr std::size_t kAlone = SIZE_MAX;

// A combination that gets GPUs of a type, by places in the input.
struct Chosen {
  std::size_t a = 0;
  std::size_t b = kAlone;
  std::uint32_t type = 0;
};

struct Claim {
  double due_s = 0;
  double share = 0;
  Chosen what;
};

// The type of a gang of one type.
std::optional<std::uint32_t> type_of(const Gang& gang) {
  if (gang.empty()) return std::nullopt;
  for (const auto& part : gang)
    if (part.type != gang.front().type) return std::nullopt;
  return gang.front().type;
}

class Round {
 public:
  Round(PlanBuilder& plan, const FairState& state, const FairJobs& jobs)
      : plan_(plan), state_(state), jobs_(jobs), placed_(plan.jobs(), false) {
    for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) left_.push_back(plan.free_of_type(type));
    for (std::size_t j = 0; j < plan.jobs(); ++j)
      placed_[j] = plan.has_grant(j) || !plan.plannable(j) || plan.steps_available(j) == 0;
  }

  std::vector<FairPlace> run() {
    serve_claims();
    if (jobs_.leftovers) serve_others();
    std::stable_sort(chosen_.begin(), chosen_.end(),
                     [&](const Chosen& x, const Chosen& y) { return plan_.job(x.a).gpus > plan_.job(y.a).gpus; });
    place();
    return places();
  }

 private:
  [[nodiscard]] std::size_t find(JobId id) const {
    const auto& jobs = plan_.input().jobs;
    const auto it =
        std::lower_bound(jobs.begin(), jobs.end(), id, [](const auto& job, JobId key) { return job->job < key; });
    return it != jobs.end() && (*it)->job == id ? static_cast<std::size_t>(it - jobs.begin()) : kAlone;
  }

  [[nodiscard]] bool free(const Chosen& what) const {
    return !placed_[what.a] && (what.b == kAlone || !placed_[what.b]);
  }

  bool choose(const Chosen& what) {
    const auto gpus = plan_.job(what.a).gpus;
    if (!free(what) || gpus > left_[what.type]) return false;
    left_[what.type] -= gpus;
    placed_[what.a] = true;
    if (what.b != kAlone) placed_[what.b] = true;
    chosen_.push_back(what);
    return true;
  }

  [[nodiscard]] bool fit_together(std::size_t a, std::size_t b, std::uint32_t type) const {
    if (plan_.input().early) return false;  // only idle GPUs are given away, one job each
    const auto speeds = pair_speeds(plan_.input(), plan_.cluster(), plan_.job(a), plan_.job(b));
    return !speeds.empty() && speeds[type][0] > 0 && speeds[type][1] > 0;
  }

  void serve_claims() {
    std::vector<Claim> claims;
    for (const auto& row : state_.rows) {
      const auto a = find(row.what.a);
      const auto b = row.what.pair() ? find(row.what.b) : kAlone;
      if (a == kAlone || (row.what.pair() && b == kAlone)) continue;
      for (std::uint32_t type = 0; type < row.share.size(); ++type) {
        const bool runs = b == kAlone ? jobs_.alone[a][type] > 0 : fit_together(a, b, type);
        if (row.share[type] > 0 && runs)
          claims.push_back(
              {row.behind_s[type] + row.share[type] * plan_.input().round_s, row.share[type], {a, b, type}});
      }
    }
    std::stable_sort(claims.begin(), claims.end(), [](const Claim& x, const Claim& y) {
      return std::tie(x.due_s, x.share) > std::tie(y.due_s, y.share);
    });
    for (const auto& claim : claims) choose(claim.what);
  }

  void serve_others() {
    for (std::size_t j = 0; j < plan_.jobs(); ++j) {
      if (placed_[j]) continue;
      std::uint32_t best = ClusterIndex::kNone;
      for (std::uint32_t type = 0; type < left_.size(); ++type)
        if (left_[type] >= plan_.job(j).gpus && jobs_.alone[j][type] > 0 &&
            (best == ClusterIndex::kNone || jobs_.alone[j][type] > jobs_.alone[j][best]))
          best = type;
      if (best != ClusterIndex::kNone) choose({j, kAlone, best});
    }
  }

  // Gangs of one size at a time: first those that stay, then those that move.
  void place() {
    for (auto group = chosen_.begin(); group != chosen_.end();) {
      const auto gpus = plan_.job(group->a).gpus;
      const auto end =
          std::find_if(group, chosen_.end(), [&](const Chosen& what) { return plan_.job(what.a).gpus != gpus; });
      std::vector<Chosen> moving;
      for (auto it = group; it != end; ++it)
        if (!stays(*it)) moving.push_back(*it);
      for (const auto& what : moving) move(what);
      group = end;
    }
  }

  // The gang of that type which a job holds and may go on with; empty when there is none.
  [[nodiscard]] Gang held_gang(std::size_t j, std::uint32_t type) const {
    for (const auto& held : plan_.job(j).held) {
      auto gang = plan_.cluster().gang_of(held);
      if (!held.ends_at_border && type_of(gang) == type) return gang;
    }
    return {};
  }

  // A pair stays where one of the two is.
  bool pair_stays(const Chosen& what) {
    for (const auto j : {what.a, what.b}) {
      const auto gang = held_gang(j, what.type);
      if (!gang.empty() && share(what, gang)) return true;
    }
    return false;
  }

  Status share(const Chosen& what, const Gang& gang) {
    const auto speeds = pair_speeds(plan_.input(), plan_.cluster(), plan_.job(what.a), plan_.job(what.b));
    if (speeds.empty()) return fail(ErrorCode::kInfeasible, "the two do not fit side by side");
    return plan_.allocate_shared(what.a, what.b, gang, speeds[what.type][0], speeds[what.type][1]);
  }

  bool stays(const Chosen& what) {
    if (what.b != kAlone) return pair_stays(what);
    const auto& held = plan_.job(what.a).held;
    for (std::size_t h = 0; h < held.size(); ++h)
      if (type_of(plan_.cluster().gang_of(held[h])) == what.type && plan_.keep(what.a, h)) return true;
    return false;
  }

  // The node that is left the emptiest full: fewest free GPUs that still suffice; else as few nodes as it takes.
  [[nodiscard]] Gang gang_for(std::uint32_t type, std::uint32_t gpus) const {
    std::uint32_t best = ClusterIndex::kNone;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rooms;  // free GPUs, node
    for (std::uint32_t node = 0; node < plan_.cluster().nodes(); ++node) {
      const auto room = plan_.free(node, type);
      if (room > 0) rooms.emplace_back(room, node);
      if (room >= gpus && (best == ClusterIndex::kNone || room < plan_.free(best, type))) best = node;
    }
    if (best != ClusterIndex::kNone) return {{best, type, gpus}};
    std::stable_sort(rooms.begin(), rooms.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
    Gang gang;
    for (const auto& [room, node] : rooms) {
      const auto count = std::min(room, gpus);
      if (count > 0) gang.push_back({node, type, count});
      gpus -= count;
    }
    HADAR_ENSURE(gpus == 0);
    return normalized(std::move(gang));
  }

  void move(const Chosen& what) {
    const auto gang = gang_for(what.type, plan_.job(what.a).gpus);
    if (what.b != kAlone) {
      const auto shared = share(what, gang);
      HADAR_ENSURE(shared.has_value());
      return;
    }
    const auto moved = plan_.allocate(what.a, 0, gang, gang_speed(plan_, what.a, gang));
    HADAR_ENSURE(moved.has_value());
  }

  // The partner of every job that shares GPUs: by this plan, or by leases of an earlier one that go on.
  [[nodiscard]] std::vector<std::optional<std::size_t>> partners() const {
    std::vector<std::optional<std::size_t>> partners(plan_.jobs());
    std::map<std::pair<NodeName, std::uint32_t>, std::size_t> seen;  // by first GPU of what goes on
    for (std::size_t j = 0; j < plan_.jobs(); ++j)
      for (const auto& grant : plan_.grants(j)) {
        if (grant.partner) {
          partners[j] = grant.partner;
          partners[*grant.partner] = j;
        }
        if (grant.held == nullptr || grant.held->slices.empty()) continue;
        const auto& first = grant.held->slices.front();
        const auto [other, fresh] = seen.try_emplace({first.node, first.gpus.front()}, j);
        if (fresh) continue;
        partners[j] = other->second;
        partners[other->second] = j;
      }
    return partners;
  }

  [[nodiscard]] std::vector<FairPlace> places() const {
    const auto shared = partners();
    std::vector<FairPlace> places;
    for (std::size_t j = 0; j < plan_.jobs(); ++j) {
      if (plan_.grants(j).empty() || (shared[j] && *shared[j] < j)) continue;
      if (const auto type = type_of(plan_.grants(j).front().gang))
        places.push_back({{plan_.job(j).job, shared[j] ? plan_.job(*shared[j]).job : JobId{}}, *type});
    }
    return places;
  }

  PlanBuilder& plan_;
  const FairState& state_;
  const FairJobs& jobs_;
  std::vector<bool> placed_;
  std::vector<std::uint32_t> left_;  // by type
  std::vector<Chosen> chosen_;
};

}  // namespace

std::vector<FairPlace> fill_round(PlanBuilder& plan, const FairState& state, const FairJobs& jobs) {
  return Round(plan, state, jobs).run();
}

}  // namespace hadar
