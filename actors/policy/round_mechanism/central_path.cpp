#include "actors/policy/round_mechanism/central_path.hpp"

#include <algorithm>
#include <cmath>

#include "actors/policy/round_mechanism/small_system.hpp"
#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kGap = 1e-9;        // relative, at the end of the path
constexpr double kGrowth = 8;        // of the weight of the goal, from one point of the path to the next
constexpr double kCentred = 1e-10;   // squared Newton decrement of a point on the path
constexpr int kMostSteps = 60;       // Newton steps a point
constexpr int kMostHalvings = 60;    // of one step
constexpr double kToTheWall = 0.99;  // of the way to the nearest wall

using Row = std::vector<double>;

// A job's wall between its utility u and the level t, with first and second derivatives.
struct Wall {
  double u = 0, t = 0, uu = 0, tt = 0, ut = 0;
};

class Path {
 public:
  explicit Path(const CentralProgram& program)
      : p_(program), jobs_(program.gpus.size()), types_(program.capacity.size()) {
    double top = 0;
    for (const auto& row : p_.value) top = std::max(top, *std::max_element(row.begin(), row.end()));
    scale_ = p_.goal == CentralGoal::kSum ? 1 / top : 1;
  }

  void start_inside() {
    x_.assign(jobs_, Row(types_));
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j)
        x_[i][j] =
            0.5 * std::min(p_.capacity[j] / (static_cast<double>(jobs_) * p_.gpus[i]), 1 / static_cast<double>(types_));
    if (p_.goal == CentralGoal::kMaxMin) {
      t_ = utility(0);
      for (std::size_t i = 0; i < jobs_; ++i) t_ = std::min(t_, utility(i));
      t_ *= 0.5;
    }
    if (p_.goal == CentralGoal::kFinish)
      for (std::size_t i = 0; i < jobs_; ++i) t_ = std::max(t_, (p_.age[i] + 2 * p_.work[i] / utility(i)) / p_.fair[i]);
  }

  void start_at(const CentralAnswer& answer) { x_ = answer.share; }

  CentralAnswer follow(std::optional<double> beyond) {
    const auto walls = static_cast<double>(jobs_ * (types_ + 3) + types_);
    double weight = p_.goal == CentralGoal::kFloors ? 0 : 1;
    for (;;) {
      centre(weight);
      const bool far = beyond && p_.goal == CentralGoal::kMaxMin && t_ > *beyond;
      if (weight == 0 || far || walls / weight <= kGap * std::max(1e-300, std::abs(goal()))) break;
      weight *= kGrowth;
    }
    return {x_, moves_level() ? t_ : 0};
  }

 private:
  [[nodiscard]] bool moves_level() const { return p_.goal == CentralGoal::kMaxMin || p_.goal == CentralGoal::kFinish; }
  [[nodiscard]] double level_gain() const {
    return p_.goal == CentralGoal::kMaxMin ? 1 : p_.goal == CentralGoal::kFinish ? -1 : 0;
  }
  [[nodiscard]] double utility(std::size_t i) const {
    double u = 0;
    for (std::size_t j = 0; j < types_; ++j) u += p_.value[i][j] * x_[i][j];
    return u;
  }
  [[nodiscard]] double goal() const {
    if (moves_level()) return t_;
    double sum = 0;
    for (std::size_t i = 0; i < jobs_; ++i) sum += scale_ * utility(i);
    return sum;
  }
  [[nodiscard]] double job_room(std::size_t i) const {
    double room = 1;
    for (const auto share : x_[i]) room -= share;
    return room;
  }
  [[nodiscard]] double type_room(std::size_t j) const {
    double room = p_.capacity[j];
    for (std::size_t i = 0; i < jobs_; ++i) room -= p_.gpus[i] * x_[i][j];
    return room;
  }

  // How far a job's utility is inside its wall.
  [[nodiscard]] double wall_room(std::size_t i) const {
    const auto u = utility(i);
    switch (p_.goal) {
      case CentralGoal::kSum: return 1;
      case CentralGoal::kMaxMin: return u - t_;
      case CentralGoal::kFloors: return u - p_.floor[i];
      case CentralGoal::kFinish: {
        const auto longest = t_ * p_.fair[i] - p_.age[i];
        return longest > 0 ? u * longest - p_.work[i] : -1;
      }
    }
    return 1;
  }

  // kFinish: the time 1/u stands under a bound of its own in a second-order cone (Gavel's inv_pos), whose barrier
  // counts once, half of log(u bound - 1); the bound is minimised out, which leaves -1.5 log(u k - work) + log u with k
  // the longest time the level allows.
  [[nodiscard]] Wall wall(std::size_t i) const {
    const auto room = wall_room(i);
    switch (p_.goal) {
      case CentralGoal::kSum: return {};
      case CentralGoal::kMaxMin: return {-1 / room, 1 / room, 1 / (room * room), 1 / (room * room), -1 / (room * room)};
      case CentralGoal::kFloors: return {-1 / room, 0, 1 / (room * room), 0, 0};
      case CentralGoal::kFinish: break;
    }
    const auto u = utility(i);
    const auto k = t_ * p_.fair[i] - p_.age[i];
    const auto f = p_.fair[i];
    const auto k_r = k / room;
    const auto f_r = f / room;
    return {-1.5 * k_r + 1 / u, -1.5 * u * f_r, 1.5 * k_r * k_r - 1 / (u * u), 1.5 * u * u * f_r * f_r,
            1.5 * f_r / room};
  }

  struct Slope {
    std::vector<Row> x;
    double t = 0;
  };
  [[nodiscard]] Slope slope(double weight) const {
    Slope g{std::vector<Row>(jobs_, Row(types_)), -weight * level_gain()};
    Row rooms(types_);
    for (std::size_t j = 0; j < types_; ++j) rooms[j] = type_room(j);
    for (std::size_t i = 0; i < jobs_; ++i) {
      const auto w = wall(i);
      const auto room = job_room(i);
      g.t += w.t;
      for (std::size_t j = 0; j < types_; ++j) {
        g.x[i][j] = -1 / x_[i][j] + 1 / room + w.u * p_.value[i][j] + p_.gpus[i] / rooms[j];
        if (p_.goal == CentralGoal::kSum) g.x[i][j] -= weight * scale_ * p_.value[i][j];
      }
    }
    return g;
  }

  static double dot(const Slope& a, const Slope& b) {
    double sum = a.t * b.t;
    for (std::size_t i = 0; i < a.x.size(); ++i)
      for (std::size_t j = 0; j < a.x[i].size(); ++j) sum += a.x[i][j] * b.x[i][j];
    return sum;
  }

  // Newton's step. Jobs hang together only by the types' rooms and the level: those make a system of types + 1.
  [[nodiscard]] Slope newton(const Slope& g) const {
    const auto n = types_ + 1;
    std::vector<Row> small(n, Row(n, 0.0));
    Row right(n, 0.0);
    std::vector<std::vector<Row>> solved(jobs_);  // of each job: B^-1 of the slope, the level's column, each type's
    right[types_] = -g.t;
    for (std::size_t j = 0; j < types_; ++j) {
      const auto room = type_room(j);
      small[j][j] = room * room;
    }
    if (!moves_level()) small[types_][types_] = 1;
    for (std::size_t i = 0; i < jobs_; ++i) {
      const auto w = wall(i);
      const auto room = job_room(i);
      const auto block = [&] {
        std::vector<Row> b(types_, Row(types_));
        for (std::size_t j = 0; j < types_; ++j) {
          for (std::size_t k = 0; k < types_; ++k) b[j][k] = 1 / (room * room) + w.uu * p_.value[i][j] * p_.value[i][k];
          b[j][j] += 1 / (x_[i][j] * x_[i][j]);
        }
        return b;
      };
      const auto solve = [&](Row rhs) {
        auto b = block();
        solve_small(b, rhs);
        return rhs;
      };
      Row level(types_);
      for (std::size_t j = 0; j < types_; ++j) level[j] = w.ut * p_.value[i][j];
      auto& mine = solved[i];
      mine.push_back(solve(g.x[i]));
      mine.push_back(moves_level() ? solve(level) : Row(types_, 0.0));
      for (std::size_t j = 0; j < types_; ++j) {
        Row unit(types_, 0.0);
        unit[j] = p_.gpus[i];
        mine.push_back(solve(unit));
      }
      for (std::size_t j = 0; j < types_; ++j) {
        for (std::size_t k = 0; k < types_; ++k) small[j][k] += p_.gpus[i] * mine[2 + k][j];
        small[j][types_] += p_.gpus[i] * mine[1][j];
        right[j] -= p_.gpus[i] * mine[0][j];
      }
      if (!moves_level()) continue;
      small[types_][types_] += w.tt;
      for (std::size_t j = 0; j < types_; ++j) {
        small[types_][types_] -= level[j] * mine[1][j];
        right[types_] += level[j] * mine[0][j];
        for (std::size_t k = 0; k < types_; ++k) small[types_][k] -= level[j] * mine[2 + k][j];
      }
    }
    solve_small(small, right);  // forces of the types' rooms, then the level's step
    Slope step{std::vector<Row>(jobs_, Row(types_)), moves_level() ? right[types_] : 0};
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j) {
        step.x[i][j] = -solved[i][0][j] - solved[i][1][j] * step.t;
        for (std::size_t k = 0; k < types_; ++k) step.x[i][j] -= solved[i][2 + k][j] * right[k];
      }
    return step;
  }

  void move(const Slope& step, double length) {
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j) x_[i][j] += length * step.x[i][j];
    t_ += length * step.t;
  }

  [[nodiscard]] bool inside() const {
    for (std::size_t i = 0; i < jobs_; ++i) {
      for (const auto share : x_[i])
        if (!(share > 0)) return false;
      if (!(job_room(i) > 0) || !(wall_room(i) > 0)) return false;
    }
    for (std::size_t j = 0; j < types_; ++j)
      if (!(type_room(j) > 0)) return false;
    return true;
  }

  // As far as the nearest wall of the shares themselves; the others are found by halving.
  [[nodiscard]] double longest(const Slope& step) const {
    double length = 1;
    for (std::size_t i = 0; i < jobs_; ++i)
      for (std::size_t j = 0; j < types_; ++j)
        if (step.x[i][j] < 0) length = std::min(length, -kToTheWall * x_[i][j] / step.x[i][j]);
    return length;
  }

  // Newton's method with a line search on the slope: values would cancel at large weights.
  void centre(double weight) {
    for (int steps = 0; steps < kMostSteps; ++steps) {
      const auto g = slope(weight);
      const auto step = newton(g);
      const auto decrement = -dot(g, step);
      if (!(decrement > kCentred)) return;
      const auto from_x = x_;
      const auto from_t = t_;
      auto length = longest(step);
      for (int halvings = 0;; ++halvings, length /= 2) {
        move(step, length);
        if (inside() && dot(slope(weight), step) <= 0.5 * decrement) break;
        x_ = from_x;
        t_ = from_t;
        if (halvings == kMostHalvings) return;
      }
    }
  }

  const CentralProgram& p_;
  std::size_t jobs_;
  std::size_t types_;
  double scale_ = 1;
  std::vector<Row> x_;
  double t_ = 0;
};

}  // namespace

CentralAnswer follow_central_path(const CentralProgram& program, std::optional<double> beyond,
                                  const CentralAnswer* start) {
  HADAR_REQUIRE((program.goal == CentralGoal::kFloors) == (start != nullptr));
  if (program.gpus.empty()) return {};
  Path path(program);
  if (start != nullptr)
    path.start_at(*start);
  else
    path.start_inside();
  return path.follow(beyond);
}

}  // namespace hadar
