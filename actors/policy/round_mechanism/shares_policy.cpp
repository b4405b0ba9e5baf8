#include "actors/policy/round_mechanism/shares_policy.hpp"

#include <algorithm>
#include <map>

#include "actors/policy/gavel/question.hpp"
#include "actors/policy/plan_builder.hpp"
#include "actors/policy/round_mechanism/compat_policy.hpp"
#include "actors/policy/round_mechanism/fair_rounds.hpp"
#include "actors/policy/round_mechanism/share_question.hpp"
#include "actors/policy/settings.hpp"

namespace hadar {
namespace {

constexpr double kResetGap_s = 1920;

struct SharesSettings {
  double reset_gap_s = kResetGap_s;
  QuestionSettings question;
};

bool wants_history(const GavelRule& rule) {
  return rule.name.starts_with("gavel-ftf");
}

// A job's shares over all types and pairs, and how far it is behind them.
struct Standing {
  double share = 0;
  double behind_s = 0;
};

std::map<JobId, Standing> standings_of(const FairState& state) {
  std::map<JobId, Standing> standings;
  for (const auto& row : state.rows)
    for (std::size_t type = 0; type < row.share.size(); ++type)
      for (const auto job : {row.what.a, row.what.b}) {
        standings[job].share += row.share[type];
        standings[job].behind_s += row.behind_s[type];
      }
  return standings;
}

// What the rule said about its answer goes with every reason that follows from it.
Reason with_notes(Reason reason, const std::vector<std::string>& notes) {
  for (const auto& note : notes) reason.text += "; " + note;
  return reason;
}

// Why a job waits under shares.
Reason reason_of(const PlanBuilder& plan, std::size_t j, const FairJobs& jobs, const Standing& standing) {
  const auto& view = plan.job(j);
  std::uint32_t largest = 0;
  for (std::uint32_t type = 0; type < plan.cluster().types(); ++type)
    if (jobs.alone[j][type] > 0) largest = std::max(largest, plan.cluster().installed(type));
  if (largest < view.gpus)
    return {"waiting_one_type",
            "wants " + std::to_string(view.gpus) + " GPUs of one type; of the types it runs on at most " +
                std::to_string(largest) + " are up",
            {{"wanted", static_cast<double>(view.gpus)}, {"largest", static_cast<double>(largest)}}};
  if (standing.share == 0)
    return {"waiting_no_share", "the policy gives it no share of GPU time now", {{"share", 0.0}}};
  return {"waiting_turn",
          "others are further behind their shares of time",
          {{"share", standing.share}, {"behind_s", standing.behind_s}}};
}

class SharesPolicy final : public Policy {
 public:
  SharesPolicy(const GavelRule& rule, SharesSettings settings) : rule_(rule), settings_(std::move(settings)) {}

  [[nodiscard]] PolicyTraits traits() const override { return {false, false, rule_.shares_gpus}; }

  [[nodiscard]] Result<RoundPlan> plan(const RoundInput& input) override {
    auto made = PlanBuilder::make(input);
    if (!made) return fail(std::move(made));
    auto& plan = *made;
    auto state = read_fair_state(input.memory, plan.cluster().type_names());
    std::vector<JobId> ids;
    for (const auto& job : input.jobs) ids.push_back(job->job);
    forget_gone(state, ids);
    settle_time(state, input.now_s, input.round_s);
    const auto jobs = jobs_of(plan);
    if (plan.cluster().types() > 0 && !ids.empty())
      if (auto asked = ask(plan, jobs, state); !asked) return fail(std::move(asked));
    state.placed = fill_round(plan, state, jobs);
    auto standings = standings_of(state);
    for (std::size_t j = 0; j < plan.jobs(); ++j)
      if (!plan.has_grant(j) && plan.plannable(j))
        plan.explain(j, with_notes(reason_of(plan, j, jobs, standings[plan.job(j).job]), state.notes));
    return plan.finish(write_memory(state));
  }

 private:
  [[nodiscard]] FairJobs jobs_of(const PlanBuilder& plan) const {
    FairJobs jobs;
    jobs.leftovers = !rule_.strict_queue;
    for (std::size_t j = 0; j < plan.jobs(); ++j) {
      auto& alone = jobs.alone.emplace_back();
      for (std::uint32_t type = 0; type < plan.cluster().types(); ++type) alone.push_back(plan.speeds(j).member(type));
    }
    return jobs;
  }

  // New shares, when they are due.
  Status ask(const PlanBuilder& plan, const FairJobs& jobs, FairState& state) const {
    const auto& input = plan.input();
    if (input.early && !rule_.whole_shares) return {};
    std::vector<std::size_t> all(plan.jobs());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
    auto problem = share_problem(input, plan.cluster(), all, jobs.alone, rule_, settings_.question, input.now_s);
    const auto print = fingerprint_of(problem);
    if (print == state.question && input.now_s - state.asked_s < settings_.reset_gap_s) return {};
    if (wants_history(rule_))
      for (std::size_t j = 0; j < all.size(); ++j) {
        auto& history = state.histories[problem.jobs[j].job];
        history.ask(plan.job(j).steps_credited, gavel::isolated_speed(problem, problem.jobs[j], gavel::true_speed));
        problem.jobs[j].isolated_history = history.isolated;
      }
    const auto shares = rule_.solve(problem);
    if (!shares) return tl::unexpected<Error>(shares.error());
    take_shares(state, problem, *shares);
    state.question = print;
    state.asked_s = input.now_s;
    return {};
  }

  const GavelRule& rule_;
  SharesSettings settings_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_shares_policy(const GavelRule& rule, const PolicySettings& settings) {
  SettingsReader reader{std::string(rule.name), settings};
  SharesSettings read;
  read.reset_gap_s = reader.number("reset_gap_s", kResetGap_s, 0, 1e9);
  read.question = read_question_settings(reader);
  const auto compat = reader.word("compat", "none", {"none", "gavel-2022"});
  CompatSettings compat_settings{read.reset_gap_s, reader.number("start_s", 0, 0, 1e12),
                                 reader.number("last_arrival_s", -1, -1, 1e12), read.question};
  if (auto done = reader.done(); !done) return fail(std::move(done));
  if (compat == "gavel-2022") return make_compat_policy(rule, std::move(compat_settings));
  return std::make_unique<SharesPolicy>(rule, std::move(read));
}

}  // namespace hadar
