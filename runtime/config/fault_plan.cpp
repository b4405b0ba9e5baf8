#include "runtime/config/fault_plan.hpp"

#include <map>

#include "runtime/config/table_reader.hpp"
#include "runtime/config/text.hpp"
#include "runtime/config/toml_tree.hpp"

namespace hadar {
namespace {

constexpr double kLeastForEver = 1e-3;

constexpr double kLongest_s = 1e12;

const std::map<std::string, FaultKind> kKinds = {
    {"crash", FaultKind::kCrash},
    {"restart", FaultKind::kRestart},
    {"slow", FaultKind::kSlow},
    {"partition", FaultKind::kPartition},
    {"delay", FaultKind::kDelay},
    {"loss", FaultKind::kLoss},
    {"duplication", FaultKind::kDuplication},
    {"reordering", FaultKind::kReordering},
};
const std::map<std::string, FaultyRole> kRoles = {{"scheduler", FaultyRole::kScheduler},
                                                  {"job-tracker", FaultyRole::kJobTracker}};

template <class Value>
std::vector<std::string> words_of(const std::map<std::string, Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  return words;
}

template <class Value>
void read_choice(TableReader& reader, const char* key, const std::map<std::string, Value>& choices, Value& target) {
  std::string word;
  reader.read(key, word);
  if (const auto found = choices.find(word); found != choices.end())
    target = found->second;
  else if (!word.empty())
    reader.fault(key, "got " + quote_toml(word) + ", must be " + any_of_text(words_of(choices)));
}

void need(TableReader& reader, const char* key) {
  if (!reader.has(key)) reader.fault(key, std::string("is missing, must be given for this kind of fault"));
}

// Where the fault is.
void read_place(TableReader& reader, Fault& fault) {
  reader.read("node", fault.node);
  if (fault.kind == FaultKind::kSlow) return need(reader, "node");
  read_choice(reader, "role", kRoles, fault.role);
  const bool node = !fault.node.empty();
  const bool role = fault.role != FaultyRole::kNone;
  if (fault.kind == FaultKind::kPartition) {
    if (node != role)
      reader.fault("node", "a partition needs a node and a role, or neither: then it lies between the two roles");
  } else if (node == role) {
    reader.fault("node", "must be given, or else a role: one of them dies");
  }
}

// Faults under which work never gets on.
bool stops_everything(const Fault& fault) {
  return (fault.kind == FaultKind::kSlow && fault.factor < kLeastForEver) ||
         (fault.kind == FaultKind::kLoss && fault.part > 1 - kLeastForEver);
}

Fault read_fault(const TomlTable& table, TomlPlace place, FirstFault& first) {
  TableReader reader(table, "faults.", first, place);
  Fault fault;
  need(reader, "kind");
  read_choice(reader, "kind", kKinds, fault.kind);
  need(reader, "at_s");
  reader.read("at_s", fault.at_s, {0, kLongest_s});
  if (fault.kind != FaultKind::kRestart) reader.read("for_s", fault.for_s, {0, kLongest_s});
  switch (fault.kind) {
    case FaultKind::kCrash:
    case FaultKind::kRestart:
    case FaultKind::kPartition: read_place(reader, fault); break;
    case FaultKind::kSlow:
      read_place(reader, fault);
      need(reader, "factor");
      reader.read("factor", fault.factor, {0, 1e3});
      break;
    case FaultKind::kDelay:
      need(reader, "delay_s");
      reader.read("delay_s", fault.delay_s, {0, 1e6});
      break;
    case FaultKind::kLoss:
    case FaultKind::kDuplication:
    case FaultKind::kReordering:
      need(reader, "part");
      reader.read("part", fault.part, {0, 1});
      break;
  }
  if (fault.for_s == 0 && stops_everything(fault))
    reader.fault("for_s", "got 0, which is for ever; nothing could end then: give the seconds it lasts");
  reader.done();
  return fault;
}

}  // namespace

Result<FaultPlan> parse_faults(const std::string& text, const std::string& name) {
  const auto table = parse_toml(text, name);
  if (!table) return tl::unexpected(table.error());
  FirstFault first(name);
  TableReader reader(*table, "", first);
  const auto* faults = reader.find("faults");
  reader.done();
  const auto* list = faults ? std::get_if<TomlArray>(&faults->value.data) : nullptr;
  if (!list) reader.fault("faults", "must be one [[faults]] table per fault");
  FaultPlan plan;
  for (std::size_t i = 0; list && !first.any() && i < list->size(); ++i) {
    const auto& item = (*list)[i];
    if (const auto* fault = std::get_if<TomlTable>(&item.data))
      plan.push_back(read_fault(*fault, item.place, first));
    else
      first.note(item.place, "faults", "got " + describe(item) + ", must be a [[faults]] table");
  }
  if (auto status = first.status(); !status) return tl::unexpected(status.error());
  return plan;
}

Result<FaultPlan> load_faults(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return tl::unexpected(text.error());
  return parse_faults(*text, file.string());
}

}  // namespace hadar
