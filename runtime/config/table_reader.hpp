// Reads one TOML table strictly: every key known, every value of its type and in its range. Internal to this room.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/cluster.hpp"
#include "messages/types/result.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {

// Which numbers an option takes.
struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool above_low = false;  // low itself is refused

  // False for NaN and infinities.
  [[nodiscard]] bool holds(double value) const { return (above_low ? value > low : value >= low) && value <= high; }
  // "from 1 to 60", "above 0", "at least 0 and …"
  [[nodiscard]] std::string text() const;
};

// The first fault of a file; later ones do not replace it.
class FirstFault {
 public:
  // `source` is the file's name, or "--set".
  explicit FirstFault(std::string source) : source_(std::move(source)) {}

  // "source:line:column: key: what"
  void note(TomlPlace place, const std::string& key, const std::string& what);
  [[nodiscard]] bool any() const { return error_.has_value(); }
  [[nodiscard]] Status status() const;

 private:
  std::string source_;
  std::optional<Error> error_;
};

// A reader leaves its targets alone when their key is missing or the value is wrong; the fault is noted. Lives on the
// stack; `table` and `fault` must outlive it.
class TableReader {
 public:
  // `prefix` goes before keys in errors: "scheduler." or ""; faults of missing keys are placed at `place`.
  TableReader(const TomlTable& table, std::string prefix, FirstFault& fault, TomlPlace place = {})
      : table_(table), prefix_(std::move(prefix)), fault_(fault), place_(place) {}

  // The member under `key`, which counts as known from now on; nullptr when missing.
  const TomlMember* find(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) { return find(key) != nullptr; }

  void read(std::string_view key, bool& target);
  void read(std::string_view key, double& target, const NumberRange& range);
  void read(std::string_view key, std::uint32_t& target, const NumberRange& range);
  void read(std::string_view key, std::uint64_t& target, const NumberRange& range);
  void read(std::string_view key, std::string& target);
  void read(std::string_view key, std::vector<std::string>& target);
  // Relative paths are taken from `folder`; an empty text stays empty.
  void read(std::string_view key, std::filesystem::path& target, const std::filesystem::path& folder);
  // [{type = "V100", count = 2}, …]: no type twice, counts 1 to 1024, an empty array only where `may_be_empty`.
  void read(std::string_view key, std::vector<GpuGroup>& target, bool may_be_empty);

  // A fault of the value under `key` (of the table itself when there is none).
  void fault(std::string_view key, const std::string& what);

  // Notes the first key nobody asked for, with the nearest known one.
  void done();

 private:
  void wrong(const TomlMember& member, const std::string& must);
  std::optional<std::uint64_t> whole(const TomlMember& member, const NumberRange& range);

  const TomlTable& table_;
  std::string prefix_;
  FirstFault& fault_;
  TomlPlace place_;
  std::vector<std::string> known_;
};

}  // namespace hadar
