#include "launchers/price_settings.hpp"

#include "actors/policy/hadar/hadar.hpp"

namespace hadar {

PriceSettings price_settings(const PriceOptions& prices, const PolicySettings& policy) {
  SettingsReader reader("price-oracle", policy);
  PriceSettings settings;
  settings.method = prices.form == "exponential" ? PriceMethod::kExponential : PriceMethod::kClearing;
  settings.smoothing = prices.smoothing;
  settings.utility = read_value_settings(reader).utility;
  return settings;
}

}  // namespace hadar
