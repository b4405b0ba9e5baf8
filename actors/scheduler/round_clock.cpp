#include "actors/scheduler/round_clock.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hadar {
namespace {

constexpr double kNearBorderShare = 0.02;  // of the round: what comes this late is the border's to plan
constexpr double kOnTime = 1e-6;           // of a round: a timer that is early by less is on time

class BordersByTime final : public RoundClock {
 public:
  BordersByTime(RoundId first, double first_border_s, double round_s)
      : first_(first), first_border_s_(first_border_s), round_s_(round_s) {}

  [[nodiscard]] RoundId round(double now_s) const override { return RoundId{first_.value + since_start(now_s)}; }
  [[nodiscard]] double next_border_s(double now_s) const override {
    return first_border_s_ + static_cast<double>(since_start(now_s) + 1) * round_s_;
  }
  [[nodiscard]] bool borders_by_time() const override { return true; }
  [[nodiscard]] bool border_is_near(double now_s) const override {
    return next_border_s(now_s) - now_s < kNearBorderShare * round_s_ || opened_ != since_start(now_s);
  }
  void open(double now_s) override { opened_ = since_start(now_s); }

 private:
  [[nodiscard]] std::uint64_t since_start(double now_s) const {
    return static_cast<std::uint64_t>(std::max(0.0, std::floor((now_s - first_border_s_) / round_s_ + kOnTime)));
  }

  RoundId first_;
  double first_border_s_;
  double round_s_;
  std::uint64_t opened_ = 0;
};

class RoundsUntilAllIsDone final : public RoundClock {
 public:
  RoundsUntilAllIsDone(RoundId first, double round_s) : round_(first), round_s_(round_s) {}

  [[nodiscard]] RoundId round(double) const override { return round_; }
  [[nodiscard]] double next_border_s(double now_s) const override { return now_s + round_s_; }
  [[nodiscard]] bool borders_by_time() const override { return false; }
  [[nodiscard]] bool border_is_near(double) const override { return false; }
  void open(double) override {
    if (std::exchange(opened_, true)) ++round_.value;
  }

 private:
  RoundId round_;
  double round_s_;
  bool opened_ = false;  // the first one
};

}  // namespace

std::unique_ptr<RoundClock> borders_by_time(RoundId first, double first_border_s, double round_s) {
  return std::make_unique<BordersByTime>(first, first_border_s, round_s);
}

std::unique_ptr<RoundClock> rounds_until_all_is_done(RoundId first, double round_s) {
  return std::make_unique<RoundsUntilAllIsDone>(first, round_s);
}

}  // namespace hadar
