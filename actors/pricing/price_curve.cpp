#include "actors/pricing/price_curve.hpp"

#include <algorithm>
#include <cmath>

#include "messages/types/check.hpp"

namespace hadar {
namespace {
constexpr double kLeastRatio = 2.718281828459045;
constexpr double kMostRatio = 1e6;
constexpr double kTiny = 1e-12;
}  // namespace

PriceCurve bounded_curve(double u_min, double u_max, double capacity) {
  HADAR_REQUIRE(capacity > 0);
  const double top = std::max(u_max, kTiny);
  const double bottom = std::clamp(u_min, top / kMostRatio, top / kLeastRatio);
  return {bottom, top, capacity};
}

double price_at(const PriceCurve& curve, double taken) {
  return curve.u_min * std::pow(curve.u_max / curve.u_min, taken / curve.capacity);
}

double cost_of(const PriceCurve& curve, double taken, double units) {
  const double slope = std::log(curve.u_max / curve.u_min) / curve.capacity;
  return (price_at(curve, taken + units) - price_at(curve, taken)) / slope;
}

double smoothed(double previous, double fresh, double weight) {
  HADAR_REQUIRE(previous > 0 && fresh > 0);
  return std::exp((1 - weight) * std::log(previous) + weight * std::log(fresh));
}

double competitive_alpha(const PriceCurve& curve) {
  return std::max(1.0, std::log(curve.u_max / curve.u_min));
}

}  // namespace hadar
