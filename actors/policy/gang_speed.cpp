#include "actors/policy/gang_speed.hpp"

#include <algorithm>

#include "messages/types/check.hpp"

namespace hadar {
namespace {

constexpr double kUnknownSpreadFactor = 0.9;

// Bytes per second of the slowest known network in the gang; 0 = none is known.
struct Network {
  double slowest = 0;
  bool known = true;  // that of every node
};
Network network_of(const PlanBuilder& plan, const Gang& gang) {
  Network network;
  for (const auto& part : gang) {
    const double net = plan.input().nodes[part.node].net_gb_s * 1e9;
    network.known = network.known && net > 0;
    if (net > 0) network.slowest = network.slowest == 0 ? net : std::min(network.slowest, net);
  }
  return network;
}

}  // namespace

double gang_speed(const PlanBuilder& plan, std::size_t j, const Gang& gang) {
  HADAR_REQUIRE(!gang.empty());
  const auto& speeds = plan.speeds(j);
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
  const auto network = network_of(plan, gang);
  if (network.slowest == 0 || job.model_bytes == 0) return speed * kUnknownSpreadFactor;
  const double exchange_s = 2.0 * (nodes - 1) / nodes * static_cast<double>(job.model_bytes) / network.slowest;
  const double exchanging = 1.0 / (1.0 / speed + exchange_s);
  return network.known ? exchanging : std::min(exchanging, speed * kUnknownSpreadFactor);
}

}  // namespace hadar
