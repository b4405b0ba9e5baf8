// The exponential price of Hadar (arXiv 2503.10918; the form is OASiS's, arXiv 1801.00936).
#pragma once

namespace hadar {

// k(g) = u_min (u_max / u_min)^(g / c): u_min when nothing of the c GPUs is taken (nearly any job pays that), u_max
// when all are (none does). Per GPU and round, in utility.
struct PriceCurve {
  double u_min = 0;     // > 0
  double u_max = 0;     // >= e u_min
  double capacity = 0;  // c > 0
};

// Bounds made fit for a curve: both positive, their ratio at least e (so that the competitive ratio's alpha is at least
// 1) and at most 1e6 (u_min is raised).
[[nodiscard]] PriceCurve bounded_curve(double u_min, double u_max, double capacity);

// The price of the next GPU when `taken` (0 to capacity) are taken.
[[nodiscard]] double price_at(const PriceCurve& curve, double taken);

// What `units` more GPUs cost when `taken` are taken: the integral of the price, so that the last units are not sold
// below their price. 0 for no units.
[[nodiscard]] double cost_of(const PriceCurve& curve, double taken, double units);

// One step of an exponential moving average on the logarithm; `weight` (0 to 1) is the new value's. Both > 0.
[[nodiscard]] double smoothed(double previous, double fresh, double weight);

// alpha = max(1, ln(u_max / u_min)) of the guarantee: utility at least 1 / (2 alpha) of the best. Holds over a horizon
// in which prices are kept and nothing is revoked; a plan made anew each round inherits it for that round only.
[[nodiscard]] double competitive_alpha(const PriceCurve& curve);

}  // namespace hadar
