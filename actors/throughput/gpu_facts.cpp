#include "actors/throughput/gpu_facts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

namespace hadar {
namespace {

// From the vendors' data sheets. K80 is one of its board's two chips.
constexpr std::array<GpuFacts, 21> kFacts = {{
    {"K80", 4.11, 240.6, 15.75},
    {"P100", 9.53, 732.2, 15.75},
    {"V100", 14.13, 897, 15.75},
    {"T4", 8.14, 320, 15.75},
    {"T400", 1.09, 80, 15.75},
    {"A10", 31.2, 600, 31.51},
    {"A10G", 31.52, 600.2, 31.51},
    {"A100", 19.49, 1555, 31.51},
    {"H100", 51.22, 2039, 63.02},
    {"H200", 66.91, 4800, 63.02},
    {"L4", 30.29, 300.1, 31.51},
    {"L40S", 91.61, 864, 31.51},
    {"RTX 3090", 35.58, 936.2, 31.51},
    {"RTX 4090", 82.58, 1008, 31.51},
    {"RTX A2000", 7.99, 288, 31.51},
    {"RTX A6000", 38.71, 768, 31.51},
    {"RTX 2080 Ti", 13.45, 616, 15.75},
    {"Titan RTX", 16.31, 672, 15.75},
    {"Quadro RTX 5000", 11.15, 448, 15.75},
    {"Quadro RTX 6000", 16.31, 672, 15.75},
    {"GTX 1080 Ti", 11.34, 484.4, 15.75},
}};

constexpr GpuFacts kReference = {"V100", 14.13, 897, 15.75};

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view prefix : {"nvidia", "geforce", "tesla"})
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  return text;
}

// Whether `rest`, what follows a type's name, is only a form or a memory size such as "SXM2-16GB".
bool is_form(std::string_view rest) {
  for (const std::string_view form : {"pcie", "sxm2", "sxm3", "sxm4", "sxm5", "sxm"})
    if (rest.starts_with(form)) {
      rest.remove_prefix(form.size());
      break;
    }
  const auto digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return rest.empty() || (digits > 0 && rest.substr(digits) == "gb");
}

}  // namespace

std::optional<GpuFacts> facts_of(const GpuType& type) {
  const auto name = plain(type);
  std::optional<GpuFacts> best;
  std::size_t longest = 0;  // "T400 4GB" is a T400, not a T4 with "00 4GB"
  for (const auto& facts : kFacts) {
    const auto known = plain(facts.type);
    if (known.size() <= longest || !name.starts_with(known)) continue;
    if (!is_form(std::string_view(name).substr(known.size()))) continue;
    best = facts;
    longest = known.size();
  }
  return best;
}

double performance_index(const GpuFacts& facts) {
  return std::sqrt(facts.fp32_tflops / kReference.fp32_tflops) * std::sqrt(facts.memory_gb_s / kReference.memory_gb_s) *
         std::pow(std::min(1.0, facts.pcie_gb_s / kReference.pcie_gb_s), 0.25);
}

}  // namespace hadar
