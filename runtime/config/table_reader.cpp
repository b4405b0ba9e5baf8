#include "runtime/config/table_reader.hpp"

#include <algorithm>

#include "runtime/config/text.hpp"

namespace hadar {
namespace {

constexpr std::uint32_t kMostGpusOfAType = 1024;

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string NumberRange::text() const {
  const bool bounded = high < std::numeric_limits<double>::max();
  if (above_low) return "above " + number_text(low) + (bounded ? " and at most " + number_text(high) : "");
  return bounded ? "from " + number_text(low) + " to " + number_text(high) : "at least " + number_text(low);
}

void FirstFault::note(TomlPlace place, const std::string& key, const std::string& what) {
  if (error_) return;
  auto text = source_;
  if (place.line > 0) text += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  error_ = Error{ErrorCode::kInvalidArgument, text + ": " + (key.empty() ? "" : key + ": ") + what};
}

Status FirstFault::status() const {
  if (error_) return tl::unexpected(*error_);
  return {};
}

const TomlMember* TableReader::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const auto found =
      std::find_if(table_.begin(), table_.end(), [&](const TomlMember& member) { return member.key == key; });
  return found == table_.end() ? nullptr : &*found;
}

void TableReader::wrong(const TomlMember& member, const std::string& must) {
  fault_.note(member.value.place, prefix_ + member.key, "got " + describe(member.value) + ", must be " + must);
}

void TableReader::fault(std::string_view key, const std::string& what) {
  const auto* member = find(key);
  const auto place = member ? member->value.place : place_;
  fault_.note(place, prefix_ + std::string(key), what);
}

void TableReader::read(std::string_view key, bool& target) {
  const auto* member = find(key);
  if (!member) return;
  if (const auto* value = std::get_if<bool>(&member->value.data))
    target = *value;
  else
    wrong(*member, "true or false");
}

void TableReader::read(std::string_view key, double& target, const NumberRange& range) {
  const auto* member = find(key);
  if (!member) return;
  std::optional<double> value;
  if (const auto* real = std::get_if<double>(&member->value.data)) value = *real;
  if (const auto* number = std::get_if<std::int64_t>(&member->value.data)) value = static_cast<double>(*number);
  if (value && range.holds(*value))
    target = *value;
  else
    wrong(*member, "a number " + range.text());
}

std::optional<std::uint64_t> TableReader::whole(const TomlMember& member, const NumberRange& range) {
  const auto* value = std::get_if<std::int64_t>(&member.value.data);
  if (value && *value >= 0 && range.holds(static_cast<double>(*value))) return static_cast<std::uint64_t>(*value);
  wrong(member, "a whole number " + range.text());
  return std::nullopt;
}

void TableReader::read(std::string_view key, std::uint32_t& target, const NumberRange& range) {
  const auto* member = find(key);
  if (!member) return;
  auto fitting = range;
  fitting.high = std::min<double>(range.high, std::numeric_limits<std::uint32_t>::max());
  if (const auto value = whole(*member, fitting)) target = static_cast<std::uint32_t>(*value);
}

void TableReader::read(std::string_view key, std::uint64_t& target, const NumberRange& range) {
  const auto* member = find(key);
  if (!member) return;
  auto fitting = range;
  fitting.high = std::min(range.high, 9007199254740992.0);  // 2^53: exact in every JSON reader
  if (const auto value = whole(*member, fitting)) target = *value;
}

void TableReader::read(std::string_view key, std::string& target) {
  const auto* member = find(key);
  if (!member) return;
  if (const auto* value = std::get_if<std::string>(&member->value.data))
    target = *value;
  else if (!member->value.bare.empty())
    target = member->value.bare;
  else
    wrong(*member, "text in quotes");
}

void TableReader::read(std::string_view key, std::vector<std::string>& target) {
  const auto* member = find(key);
  if (!member) return;
  const auto* single = std::get_if<std::string>(&member->value.data);
  if (single && !member->value.bare.empty()) {
    target = split_at_commas(*single);
    return;
  }
  const auto* array = std::get_if<TomlArray>(&member->value.data);
  if (!array) return wrong(*member, "an array of texts");
  std::vector<std::string> words;
  for (const auto& item : *array) {
    const auto* word = std::get_if<std::string>(&item.data);
    if (!word) {
      fault_.note(item.place, prefix_ + member->key, "got " + describe(item) + " in the array, must be text in quotes");
      return;
    }
    words.push_back(*word);
  }
  target = std::move(words);
}

void TableReader::read(std::string_view key, std::filesystem::path& target, const std::filesystem::path& folder) {
  std::string text = target.string();
  if (!has(key)) return;
  read(key, text);
  if (fault_.any()) return;
  const std::filesystem::path path(text);
  target = text.empty() || path.is_absolute() ? path : (folder / path).lexically_normal();
}

void TableReader::read(std::string_view key, std::vector<GpuGroup>& target, bool may_be_empty) {
  const auto* member = find(key);
  if (!member) return;
  const std::string must = "an array like [{type = \"V100\", count = 2}]";
  const auto* array = std::get_if<TomlArray>(&member->value.data);
  if (!array || (array->empty() && !may_be_empty)) return wrong(*member, must);
  std::vector<GpuGroup> groups;
  for (const auto& item : *array) {
    const auto* table = std::get_if<TomlTable>(&item.data);
    if (!table) return wrong(*member, must);
    TableReader reader(*table, prefix_ + member->key + ".", fault_);
    GpuGroup group;
    reader.read("type", group.type);
    reader.read("count", group.count, {1, kMostGpusOfAType});
    reader.done();
    if (fault_.any()) return;
    if (group.type.empty()) return fault_.note(item.place, prefix_ + member->key, "a group has no type, must have one");
    if (group.count == 0) return fault_.note(item.place, prefix_ + member->key, "a group has no count, must have one");
    for (const auto& other : groups)
      if (other.type == group.type)
        return fault_.note(item.place, prefix_ + member->key,
                           "type " + quote_toml(group.type) + " is there twice, must be one group with the sum");
    groups.push_back(std::move(group));
  }
  target = std::move(groups);
}

void TableReader::done() {
  for (const auto& member : table_) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    const auto near = nearest(member.key, known_);
    fault_.note(
        member.place, prefix_ + member.key,
        near ? "unknown key, nearest known key is " + prefix_ + *near : "unknown key, must be " + any_of_text(known_));
    return;
  }
}

}  // namespace hadar
