// Reads a policy's settings strictly: every key known, every value of its kind and in its range.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "actors/policy/policy.hpp"

namespace hadar {

// Reads one setting after another and remembers the first fault; `done` names it, or a key nobody read.
// Values read after a fault are the defaults. Lives on the stack of one factory; `settings` must outlive it.
class SettingsReader {
 public:
  SettingsReader(std::string policy, const PolicySettings& settings);

  // The number under `key`, or `fallback` when absent. A fault unless low <= value <= high.
  [[nodiscard]] double number(const std::string& key, double fallback, double low, double high);

  // The same for whole numbers only.
  [[nodiscard]] std::uint32_t whole(const std::string& key, std::uint32_t fallback, std::uint32_t low,
                                    std::uint32_t high);

  // The truth value under `key`, or `fallback` when absent.
  [[nodiscard]] bool flag(const std::string& key, bool fallback);

  // The word under `key`, or `fallback` when absent. A fault unless it is one of `allowed`.
  [[nodiscard]] std::string word(const std::string& key, const std::string& fallback,
                                 const std::vector<std::string>& allowed);

  // The numbers under `key`: one number, or text such as "3250, 7200", which must rise; `fallback` when absent. A fault
  // unless each lies between low and high.
  [[nodiscard]] std::vector<double> rising_numbers(const std::string& key, const std::vector<double>& fallback,
                                                   double low, double high);

  // All numbers whose key is `prefix` and a name, by that name. A fault unless each lies between low and high.
  [[nodiscard]] std::map<std::string, double> numbers(const std::string& prefix, double low, double high);

  // kInvalidArgument with the first fault, or with the first key of the settings that was never asked for.
  [[nodiscard]] Status done() const;

 private:
  template <class T>
  const T* find(const std::string& key, const char* kind);
  void fault(const std::string& key, const std::string& what);

  std::string policy_;
  const PolicySettings& settings_;
  std::set<std::string> known_;
  std::string fault_;
};

}  // namespace hadar
