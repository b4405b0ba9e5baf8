#include "actors/policy/gang_speed.hpp"

#include <algorithm>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kUnknownSpreadFactor = 0.9;

// Bytes per second of the slowest network in the gang; 0 = unknown.
double slowest_network(const PlanBuilder& plan, const Gang& gang) {
  double slowest = 0;
  for (const auto& part : gang) {
    const double net = plan.input().nodes[part.node].net_gb_s * 1e9;
    if (net <= 0) return 0;
    slowest = slowest == 0 ? net : std::min(slowest, net);
  }
  return slowest;
}

}  // namespace

double gang_speed(const PlanBuilder& plan, std::size_t j, const JobSpeeds& speeds, const Gang& gang) {
  HADAR_REQUIRE(!gang.empty());
  const auto nodes = node_count(gang);
  const bool spread = nodes > 1;
  double slowest = speeds.member(gang.front().type, spread);
  double sum = 0;
  bool known = true;
  for (const auto& part : gang) {
    const double speed = speeds.member(part.type, spread);
    slowest = std::min(slowest, speed);
    sum += speed * part.count;
    known = known && speeds.knows_spread(part.type);
  }
  const auto& job = plan.job(j);
  const double speed = job.proportional_batch ? sum / size_of(gang) : slowest;
  if (!spread || known) return speed;
  const double net = slowest_network(plan, gang);
  if (net <= 0 || job.model_bytes == 0) return speed * kUnknownSpreadFactor;
  const double exchange_s = 2.0 * (nodes - 1) / nodes * static_cast<double>(job.model_bytes) / net;
  return 1.0 / (1.0 / speed + exchange_s);
}

}  // namespace hadar
