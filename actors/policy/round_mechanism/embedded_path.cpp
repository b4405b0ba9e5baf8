#include "actors/policy/round_mechanism/embedded_path.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/round_mechanism/embedded_kkt.hpp"

namespace hadar {
namespace {

using embedded::add_unit;
using embedded::cone_product;
using embedded::ConeScaling;
using embedded::dot;
using embedded::Kkt;
using embedded::Program;
using embedded::Vector;

// ECOS's settings.
struct Tolerance {
  double feasible, gap;
};
constexpr Tolerance kFull = {1e-8, 1e-8};
constexpr Tolerance kReduced = {1e-4, 5e-5};
constexpr int kMostSteps = 100;
constexpr double kStepShare = 0.99;
constexpr double kLongestStep = 0.999;
constexpr double kShortestStep = 1e-6;
constexpr double kLeastSigma = 1e-4;
constexpr double kSpoilt = 500;  // a step that lets the primal fault grow by this is not to be trusted

double norm(const Vector& a) {
  return std::sqrt(dot(a, a));
}

Vector plus(Vector v, double times, const Vector& more) {
  for (std::size_t k = 0; k < v.size(); ++k) v[k] += times * more[k];
  return v;
}

Vector times(double factor, Vector v) {
  for (auto& value : v) value *= factor;
  return v;
}

// To the inside of the cone, at least one beyond its wall when it was outside.
Vector into_cone(const embedded::ConeShape& shape, Vector v) {
  const auto out = outside_by(shape, v);
  add_unit(shape, 1 + (out >= 0 ? out : -kStepShare), v);
  return v;
}

// A point of the self-dual embedding.
struct Point {
  Vector x, s, z;
  double tau = 1, kappa = 1;
};

// How far a point is from an answer.
struct Faults {
  Vector x, z;  // residuals
  double t = 0;
  double cost = 0, price = 0;
  double gap = 0, mu = 0;
  double primal = 0, dual = 0;  // relative
  double relative_gap = HUGE_VAL;

  [[nodiscard]] bool settled(const Tolerance& tolerance) const {
    return (-cost > 0 || -price >= -tolerance.gap) && primal < tolerance.feasible && dual < tolerance.feasible &&
           (gap < tolerance.gap || relative_gap < tolerance.gap);
  }
};

// A step; ds and dz in the scaled space, where s and z are the same point.
struct Direction {
  Vector x, z, ds, dz;
  double tau = 0, kappa = 0;
};

// What both directions of a step need: the scaling, its system, and that system's answer to (-c, h).
struct Frame {
  Frame(const Program& p, ConeScaling scaling, double kappa_by_tau) : w(std::move(scaling)), kkt(p, w, false) {
    kkt.solve(times(-1, p.c), p.h, x, z);
    slope = kappa_by_tau - dot(p.c, x) - dot(p.h, z);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  ConeScaling w;
  Kkt kkt;
  Vector x, z;
  double slope = 0;
};

class Embedding {
 public:
  explicit Embedding(const Program& p) : p_(p) {
    const ConeScaling unit(p.shape);
    const Kkt kkt(p, unit, true);
    Vector r, ignored, z;
    kkt.solve(Vector(p.columns(), 0.0), p.h, at_.x, r);
    at_.s = into_cone(p.shape, times(-1, std::move(r)));
    kkt.solve(times(-1, p.c), Vector(p.shape.rows(), 0.0), ignored, z);
    at_.z = into_cone(p.shape, std::move(z));
  }

  // The shares; nothing when it does not settle, not even to ECOS's reduced accuracy.
  std::optional<std::vector<Vector>> run() {
    double primal_before = HUGE_VAL;
    for (int step = 0;; ++step) {
      const auto now = faults();
      if (step > 0 && (!(now.primal <= kSpoilt * primal_before) || now.gap < 0)) return best();
      primal_before = now.primal;
      if (now.settled(kFull)) return answer(at_);
      if (length_ == kShortestStep * kStepShare) return best();
      if (step == 0 || better(now)) {
        best_ = at_;
        best_faults_ = now;
      }
      if (step == kMostSteps || !advance(now)) return best();
    }
  }

 private:
  [[nodiscard]] Faults faults() const {
    Faults f;
    f.x = plus(times(-1, p_.transposed_times(at_.z)), -at_.tau, p_.c);
    f.z = plus(plus(p_.times(at_.x), 1, at_.s), -at_.tau, p_.h);
    f.cost = dot(p_.c, at_.x);
    f.price = dot(p_.h, at_.z);
    f.t = at_.kappa + f.cost + f.price;
    f.gap = dot(at_.s, at_.z);
    f.mu = (f.gap + at_.kappa * at_.tau) / (static_cast<double>(p_.shape.degree()) + 1);
    f.primal = norm(f.z) / (std::max(1.0, norm(p_.h)) + norm(at_.x) + norm(at_.s)) / at_.tau;
    f.dual = norm(f.x) / (std::max(1.0, norm(p_.c)) + norm(at_.z)) / at_.tau;
    if (f.cost < 0)
      f.relative_gap = f.gap / (-f.cost / at_.tau);
    else if (f.price < 0)
      f.relative_gap = f.gap / (-f.price / at_.tau);
    return f;
  }

  [[nodiscard]] bool better(const Faults& now) const {
    const auto& then = best_faults_;
    return now.gap > 0 && now.gap < then.gap && now.primal < then.primal && now.dual < then.dual && now.mu < then.mu &&
           at_.kappa / at_.tau < best_.kappa / best_.tau;
  }

  [[nodiscard]] std::optional<std::vector<Vector>> best() const {
    if (!best_faults_.settled(kReduced)) return std::nullopt;
    return answer(best_);
  }

  [[nodiscard]] std::vector<Vector> answer(const Point& at) const { return p_.shares(times(1 / at.tau, at.x)); }

  [[nodiscard]] double longest(const ConeScaling& w, const Direction& d) const {
    auto length = w.longest(d.ds, d.dz);
    if (d.tau < 0) length = std::min(length, -at_.tau / d.tau);
    if (d.kappa < 0) length = std::min(length, -at_.kappa / d.kappa);
    return std::clamp(length, kShortestStep, kLongestStep);
  }

  // The direction that takes away 1 - sigma of the residuals and has lambda o (ds + dz) = -lambda o centring;
  // `unscaled` is W centring, `bend` what kappa dtau + tau dkappa shall be, negated.
  [[nodiscard]] Direction direction(const Frame& frame, const Faults& f, double sigma, const Vector& centring,
                                    const Vector& unscaled, double bend) const {
    Direction d;
    frame.kkt.solve(times(1 - sigma, f.x), plus(unscaled, -(1 - sigma), f.z), d.x, d.z);
    d.tau = ((1 - sigma) * f.t - bend / at_.tau + dot(p_.c, d.x) + dot(p_.h, d.z)) / frame.slope;
    d.kappa = -(bend + at_.kappa * d.tau) / at_.tau;
    d.x = plus(std::move(d.x), d.tau, frame.x);
    d.z = plus(std::move(d.z), d.tau, frame.z);
    d.dz = frame.w.scaled(d.z);
    d.ds = times(-1, plus(centring, 1, d.dz));
    return d;
  }

  // One step of Mehrotra's; false when the point is not inside the cone.
  bool advance(const Faults& f) {
    auto scaling = ConeScaling::between(p_.shape, at_.s, at_.z);
    if (!scaling) return false;
    const Frame frame(p_, *std::move(scaling), at_.kappa / at_.tau);
    const auto& lambda = frame.w.lambda();
    const auto straight = direction(frame, f, 0, lambda, at_.s, at_.kappa * at_.tau);
    const auto sigma = std::clamp(std::pow(1 - longest(frame.w, straight), 3), kLeastSigma, 1.0);
    auto centring = plus(cone_product(p_.shape, lambda, lambda), 1, cone_product(p_.shape, straight.ds, straight.dz));
    add_unit(p_.shape, -sigma * f.mu, centring);
    centring = frame.w.by_lambda(centring);
    const auto bend = at_.kappa * at_.tau + straight.kappa * straight.tau - sigma * f.mu;
    const auto step = direction(frame, f, sigma, centring, frame.w.scaled(centring), bend);
    length_ = kStepShare * longest(frame.w, step);
    move(step, frame.w.scaled(step.ds));
    return true;
  }

  void move(const Direction& step, const Vector& ds) {
    at_.x = plus(std::move(at_.x), length_, step.x);
    at_.s = plus(std::move(at_.s), length_, ds);
    at_.z = plus(std::move(at_.z), length_, step.z);
    at_.tau += length_ * step.tau;
    at_.kappa += length_ * step.kappa;
  }

  const Program& p_;
  Point at_, best_;
  Faults best_faults_;
  double length_ = 1;  // of the last step
};

double level_of(const CentralProgram& program, const std::vector<Vector>& share) {
  if (program.goal == CentralGoal::kSum) return 0;
  const bool finish = program.goal == CentralGoal::kFinish;
  double level = finish ? 0 : HUGE_VAL;
  for (std::size_t i = 0; i < share.size(); ++i) {
    const auto utility = dot(share[i], program.value[i]) + (program.head_start.empty() ? 0 : program.head_start[i]);
    level = finish ? std::max(level, (program.age[i] + program.work[i] / utility) / program.fair[i])
                   : std::min(level, utility);
  }
  return level;
}

}  // namespace

std::optional<CentralAnswer> follow_embedded_path(const CentralProgram& program) {
  if (program.gpus.empty()) return CentralAnswer{};
  const Program scaled(program);
  auto shares = Embedding(scaled).run();
  if (!shares) return std::nullopt;
  const auto level = level_of(program, *shares);
  return CentralAnswer{*std::move(shares), level};
}

}  // namespace hadar
