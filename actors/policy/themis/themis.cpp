#include "actors/policy/themis/themis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/policy/plan_builder.hpp"
#include "actors/policy/settings.hpp"
#include "actors/policy/themis/finish_time.hpp"
#include "actors/policy/themis/leases.hpp"
#include "actors/policy/typed_gangs.hpp"

namespace hadar {
namespace {

// One round's auction over a plan.
class Auction {
 public:
  Auction(PlanBuilder& plan, double fairness) : plan_(plan), times_(plan), found_free_(plan.jobs(), 0) {
    for (std::size_t j = 0; j < plan.jobs(); ++j)
      if (plan.plannable(j) && !plan.has_grant(j) && plan.steps_available(j) > 0 && times_.rho_waiting(j) > 0)
        order_.push_back(j);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](auto a, auto b) { return times_.rho_waiting(a) > times_.rho_waiting(b); });
    // The slack keeps a fraction such as 1 - 0.7 from adding a job by its last bit.
    const auto offered = std::ceil((1 - fairness) * static_cast<double>(plan.jobs()) - 1e-9);
    offered_ = std::min(order_.size(), static_cast<std::size_t>(std::max(1.0, offered)));
  }

  void run() {
    if (order_.empty()) return;
    serve(order_.front());
    sell();
    for (const auto j : order_)
      if (!plan_.has_grant(j)) serve(j);
    explain();
  }

 private:
  struct Bid {
    double gain_per_gpu = 0;
    std::size_t place = 0;  // in order_
    std::size_t speed_rank = 0;
    std::uint32_t type = 0;

    friend bool operator<(const Bid& a, const Bid& b) {
      return std::make_tuple(-a.gain_per_gpu, a.place, a.speed_rank) <
             std::make_tuple(-b.gain_per_gpu, b.place, b.speed_rank);
    }
  };

  void serve(std::size_t j) {
    found_free_[j] = plan_.free_for(j);
    if (found_free_[j] < plan_.job(j).gpus) return;
    if (const auto gang = fastest_gang(plan_, j); !gang.empty()) give(plan_, j, gang);
  }

  // What a job bids for each type: the logarithm of how many times better off it is than waiting.
  [[nodiscard]] std::vector<Bid> bids() const {
    std::vector<Bid> bids;
    for (std::size_t place = 0; place < offered_; ++place) {
      const auto j = order_[place];
      if (plan_.has_grant(j)) continue;
      const auto& types = plan_.speeds(j).order();
      for (std::size_t rank = 0; rank < types.size(); ++rank) {
        const double rho = times_.rho_at(j, plan_.speeds(j).member(types[rank]));
        const double gain = std::log(times_.rho_waiting(j) / rho) / plan_.job(j).gpus;
        if (gain > 0) bids.push_back({gain, place, rank, types[rank]});
      }
    }
    std::sort(bids.begin(), bids.end());
    return bids;
  }

  void sell() {
    for (const auto& bid : bids()) {
      const auto j = order_[bid.place];
      if (plan_.has_grant(j)) continue;
      if (const auto gang = gang_on_type(plan_, j, bid.type); !gang.empty()) give(plan_, j, gang);
    }
  }

  void explain() {
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const auto j = order_[place];
      if (plan_.has_grant(j)) continue;
      const auto& view = plan_.job(j);
      const bool offered = place < offered_;
      char text[200];
      std::snprintf(
          text, sizeof text,
          "finish-time fairness %.4g if it waits, %zu of %zu by need; %s, and of the %u GPUs it wants %u were left",
          times_.rho_waiting(j), place + 1, order_.size(),
          offered ? "its bid did not win" : "not among those offered first", view.gpus, found_free_[j]);
      plan_.explain(j, {offered ? "waiting_outbid" : "waiting_fairness",
                        text,
                        {{"rho", times_.rho_waiting(j)},
                         {"place", static_cast<double>(place + 1)},
                         {"offered", static_cast<double>(offered_)},
                         {"wanted", static_cast<double>(view.gpus)},
                         {"free", static_cast<double>(found_free_[j])}}});
    }
  }

  PlanBuilder& plan_;
  FinishTimes times_;
  std::vector<std::uint32_t> found_free_;
  std::vector<std::size_t> order_;  // by need, the worst off first
  std::size_t offered_ = 0;         // the first so many take part in the auction
};

class Themis final : public Policy {
 public:
  Themis(double fairness, std::uint32_t lease_rounds) : fairness_(fairness), lease_rounds_(lease_rounds) {}

  [[nodiscard]] PolicyTraits traits() const override { return {}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    PlanBuilder& plan = *made;
    auto leases = Leases::read(input.memory);
    if (!input.early) {
      leases.open_round();
      for (std::size_t j = 0; j < plan.jobs(); ++j)
        if (const auto held = renewable(plan, j); held && leases.runs_on(plan.job(j).job)) (void)plan.keep(j, *held);
    }
    Auction(plan, fairness_).run();
    auto done = plan.finish("");
    leases.count(done, lease_rounds_);
    if (lease_rounds_ > 1) done.memory = leases.write();
    return done;
  }

 private:
  double fairness_;
  std::uint32_t lease_rounds_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_themis(const PolicySettings& settings) {
  SettingsReader reader("themis", settings);
  const double fairness = reader.number("fairness", 0.8, 0, 1);
  const auto lease_rounds = static_cast<std::uint32_t>(reader.number("lease_rounds", 1, 1, 1000));
  if (auto read = reader.done(); !read) return fail(std::move(read));
  return std::make_unique<Themis>(fairness, lease_rounds);
}

}  // namespace hadar
