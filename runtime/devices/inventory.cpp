#include "runtime/devices/inventory.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace hadar {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '-') {
      if (!word.empty()) words.push_back(std::move(word));
      word.clear();
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

bool starts_with_any(std::string_view word, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return word.starts_with(prefix); });
}

// "80GB", "16Gb"
bool is_memory_size(std::string_view word) {
  if (word.size() < 3 || std::isdigit(static_cast<unsigned char>(word[0])) == 0) return false;
  const auto unit = word.substr(word.size() - 2);
  return unit == "GB" || unit == "Gb";
}

bool is_vendor(std::string_view word) {
  return word == "NVIDIA" || word == "Tesla" || word == "GeForce" || word == "Quadro";
}

bool ends_type(std::string_view word) {
  return is_memory_size(word) || starts_with_any(word, {"SXM", "PCI", "PG5", "HBM", "NVL", "MIG", "FHHL", "DGXS"});
}

std::string groups_text(const std::vector<GpuGroup>& groups) {
  std::string text;
  for (const auto& group : groups)
    text += (text.empty() ? "" : ", ") + std::to_string(group.count) + " x " + group.type;
  return text.empty() ? "no GPUs" : text;
}

NodeInventory from_driver(const NodeInventory& declared, const std::vector<GpuDevice>& gpus) {
  NodeInventory node = declared;
  node.gpus.clear();
  double slowest = 0;
  for (const auto& gpu : gpus) {
    if (node.gpus.empty() || node.gpus.back().type != gpu.type) node.gpus.push_back({gpu.type, 0});
    ++node.gpus.back().count;
    const double rate = pcie_gb_s(gpu.pcie_generation, gpu.pcie_lanes);
    if (rate > 0) slowest = slowest > 0 ? std::min(slowest, rate) : rate;
  }
  if (slowest > 0) node.pcie_gb_s = slowest;
  return node;
}

}  // namespace

GpuType gpu_type_of(std::string_view product_name) {
  std::string type;
  for (const auto& word : words_of(product_name)) {
    if (type.empty() && is_vendor(word)) continue;
    if (!type.empty() && ends_type(word)) break;
    type += (type.empty() ? "" : " ") + word;
  }
  return type.empty() ? GpuType(product_name) : type;
}

double pcie_gb_s(std::uint32_t generation, std::uint32_t lanes) {
  // Rate of one lane and direction after line coding, in GB/s, by generation.
  constexpr std::array kLane = {0.0, 0.25, 0.5, 0.9846, 1.9692, 3.9385, 7.5625};
  return generation < kLane.size() ? kLane[generation] * lanes : 0;
}

FoundInventory find_inventory(const NodeInventory& declared, const std::string& library) {
  if (declared.emulated) return {declared, "emulated: " + groups_text(declared.gpus)};
  const auto report = query_driver(library);
  const auto why = report ? "driver " + report->driver_version + " reports no GPUs" : report.error().message;
  if (report && !report->gpus.empty()) {
    auto node = from_driver(declared, report->gpus);
    std::string source = "NVML, driver " + report->driver_version + ": " + groups_text(node.gpus);
    if (!declared.gpus.empty() && declared.gpus != node.gpus)
      source += "; passed over the declared " + groups_text(declared.gpus);
    return {std::move(node), std::move(source)};
  }
  if (!declared.gpus.empty()) return {declared, "declared: " + groups_text(declared.gpus) + " (" + why + ")"};
  return {declared, "no GPUs: none declared and " + why};
}

}  // namespace hadar
