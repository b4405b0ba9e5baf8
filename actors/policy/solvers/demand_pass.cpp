#include "actors/policy/solvers/demand_pass.hpp"

#include <array>

#include "actors/policy/solvers/cheapest_mix.hpp"

namespace hadar::solvers {
namespace {

template <std::size_t R>
void pass(const Market& market, const std::vector<double>& demands, const std::vector<double>& rates,
          const double* prices, PassResult& out) {
  const std::size_t jobs = market.jobs();
  const double* rate = rates.empty() ? nullptr : rates.data();
  double slope = 0;
  double* usage = out.usage.data();
  for (std::size_t i = 0; i < jobs; ++i) {
    const auto mix = cheapest_mix<R>(market.row(i), prices, demands[i], market.types);
    const double gpus = market.gpus[i];
    usage[mix.first] += gpus * mix.first_share;
    usage[mix.second] += gpus * mix.second_share;
    if (rate != nullptr) slope += gpus * mix.slope * rate[i];
  }
  out.slope = slope;
}

using PassFunction = void (*)(const Market&, const std::vector<double>&, const std::vector<double>&, const double*,
                              PassResult&);
constexpr std::array<PassFunction, 9> kPasses = {pass<0>, pass<1>, pass<2>, pass<3>, pass<4>,
                                                 pass<5>, pass<6>, pass<7>, pass<8>};

}  // namespace

void demand_pass(const Market& market, const std::vector<double>& demands, const std::vector<double>& rates,
                 const std::vector<double>& prices, PassResult& out) {
  out.usage.assign(market.types, 0.0);
  const auto known = market.types < kPasses.size() ? market.types : 0;
  kPasses[known](market, demands, rates, prices.data(), out);
  out.cost = 0;
  for (std::size_t j = 0; j < market.types; ++j) out.cost += prices[j] * out.usage[j];
}

void add_plan(const Market& market, const std::vector<double>& demands, const std::vector<double>& prices,
              double weight, Shares& shares) {
  for (std::size_t i = 0; i < market.jobs(); ++i) {
    const auto mix = cheapest_mix<0>(market.row(i), prices.data(), demands[i], market.types);
    double* x = shares.data() + i * market.types;
    x[mix.first] += weight * mix.first_share;
    x[mix.second] += weight * mix.second_share;
  }
}

}  // namespace hadar::solvers
