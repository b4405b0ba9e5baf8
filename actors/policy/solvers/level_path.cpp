#include "actors/policy/solvers/level_path.hpp"

#include <algorithm>

namespace hadar::solvers {
namespace {

class FlatPath final : public LevelPath {
 public:
  explicit FlatPath(std::vector<double> rates) : rates_(std::move(rates)) {}

  void rebuild(const WaterState& state) override {
    state_ = &state;
    last_ = state.level;
    for (std::size_t i = 0; i < rates_.size(); ++i)
      if (state.frozen[i] == 0) last_ = std::max(last_, state.caps[i] / rates_[i]);
  }
  [[nodiscard]] double last_level() const override { return last_; }
  void demands(double level, std::vector<double>& out) const override {
    out = state_->demands;
    for (std::size_t i = 0; i < rates_.size(); ++i)
      if (state_->frozen[i] == 0) out[i] = std::max(out[i], std::min(state_->caps[i], rates_[i] * level));
  }

 private:
  std::vector<double> rates_;
  const WaterState* state_ = nullptr;
  double last_ = 0;
};

class FinishPath final : public LevelPath {
 public:
  FinishPath(FinishTerms terms, double start) : terms_(std::move(terms)), start_(start) {}

  [[nodiscard]] double first_level() const override { return -start_; }
  void rebuild(const WaterState& state) override {
    state_ = &state;
    last_ = state.level;
    for (std::size_t i = 0; i < terms_.age.size(); ++i)
      if (state.frozen[i] == 0) last_ = std::max(last_, -(terms_.age[i] + 1 / state.caps[i]) / terms_.fair[i]);
  }
  [[nodiscard]] double last_level() const override { return last_; }
  void demands(double level, std::vector<double>& out) const override {
    out = state_->demands;
    for (std::size_t i = 0; i < terms_.age.size(); ++i) {
      if (state_->frozen[i] != 0) continue;
      const double time = -level * terms_.fair[i] - terms_.age[i];
      const double wanted = time * state_->caps[i] > 1 ? 1 / time : state_->caps[i];
      out[i] = std::max(out[i], wanted);
    }
  }

 private:
  FinishTerms terms_;
  double start_;
  const WaterState* state_ = nullptr;
  double last_ = 0;
};

class EntityPath final : public LevelPath {
 public:
  explicit EntityPath(EntityTerms terms) : terms_(std::move(terms)), clocks_(terms_.weight.size()) {}

  void rebuild(const WaterState& state) override {
    state_ = &state;
    last_ = state.level;
    for (std::size_t e = 0; e < clocks_.size(); ++e) {
      auto& clock = clocks_[e];
      clock = {};
      if (terms_.fifo[e] != 0)
        build_fifo(e, clock);
      else
        build_fair(e, clock);
      if (!clock.knots.empty()) last_ = std::max(last_, clock.knots.back().level);
    }
  }
  [[nodiscard]] double last_level() const override { return last_; }
  void demands(double level, std::vector<double>& out) const override {
    out = state_->demands;
    for (std::size_t e = 0; e < clocks_.size(); ++e) {
      if (terms_.fifo[e] != 0)
        fifo_demands(e, level, out);
      else
        fair_demands(e, level, out);
    }
  }

 private:
  // A job reaches its cap at `level`; in a fair entity the entity's clock then shows `clock`.
  struct Knot {
    double level = 0;
    double clock = 0;
    std::size_t job = 0;
  };
  struct Clock {
    std::vector<Knot> knots;  // by rising level
  };

  void build_fifo(std::size_t e, Clock& clock) const {
    double level = state_->level;
    for (const auto job : terms_.members[e]) {
      if (state_->frozen[job] != 0) continue;
      level += std::max(state_->caps[job] - state_->demands[job], 0.0) * terms_.gpus[job] / terms_.weight[e];
      clock.knots.push_back({level, 0, job});
    }
  }

  void build_fair(std::size_t e, Clock& clock) const {
    for (const auto job : terms_.members[e]) {
      if (state_->frozen[job] != 0) continue;
      const double room = std::max(state_->caps[job] - state_->demands[job], 0.0);
      clock.knots.push_back({0, room * terms_.gpus[job] / terms_.job_weight[job], job});
    }
    std::stable_sort(clock.knots.begin(), clock.knots.end(),
                     [](const Knot& a, const Knot& b) { return a.clock < b.clock; });
    // Weights that leave are counted from the end, so that the last job's is exact.
    std::vector<double> behind(clock.knots.size());
    double sum = 0;
    for (std::size_t k = clock.knots.size(); k-- > 0;) behind[k] = sum += terms_.job_weight[clock.knots[k].job];
    double level = state_->level;
    double before = 0;
    for (std::size_t k = 0; k < clock.knots.size(); ++k) {
      level += (clock.knots[k].clock - before) * behind[k] / terms_.weight[e];
      before = clock.knots[k].clock;
      clock.knots[k].level = level;
    }
  }

  void fifo_demands(std::size_t e, double level, std::vector<double>& out) const {
    double start = state_->level;
    for (const auto& knot : clocks_[e].knots) {
      if (level >= knot.level) {
        out[knot.job] = std::max(out[knot.job], state_->caps[knot.job]);
        start = knot.level;
        continue;
      }
      out[knot.job] =
          std::min(state_->caps[knot.job], out[knot.job] + (level - start) * terms_.weight[e] / terms_.gpus[knot.job]);
      return;
    }
  }

  void fair_demands(std::size_t e, double level, std::vector<double>& out) const {
    const auto& knots = clocks_[e].knots;
    const auto next = std::lower_bound(knots.begin(), knots.end(), level,
                                       [](const Knot& knot, double at) { return knot.level < at; });
    double now = knots.empty() ? 0 : knots.back().clock;
    if (next != knots.end()) {
      const double from_level = next == knots.begin() ? state_->level : std::prev(next)->level;
      const double from_clock = next == knots.begin() ? 0 : std::prev(next)->clock;
      const double width = next->level - from_level;
      const double part = width > 0 ? (level - from_level) / width : 1;
      now = from_clock + part * (next->clock - from_clock);
    }
    for (const auto& knot : knots) {
      const auto job = knot.job;
      out[job] = knot.clock <= now
                     ? std::max(out[job], state_->caps[job])
                     : std::min(state_->caps[job], out[job] + now * terms_.job_weight[job] / terms_.gpus[job]);
    }
  }

  EntityTerms terms_;
  std::vector<Clock> clocks_;
  const WaterState* state_ = nullptr;
  double last_ = 0;
};

}  // namespace

std::unique_ptr<LevelPath> flat_path(std::vector<double> rates) {
  return std::make_unique<FlatPath>(std::move(rates));
}
std::unique_ptr<LevelPath> finish_path(FinishTerms terms, double start) {
  return std::make_unique<FinishPath>(std::move(terms), start);
}
std::unique_ptr<LevelPath> entity_path(EntityTerms terms) {
  return std::make_unique<EntityPath>(std::move(terms));
}

}  // namespace hadar::solvers
