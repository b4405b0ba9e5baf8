#include "runtime/weights/merge_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "messages/types/check.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar::detail {
namespace {

std::string form_of(const TensorInfo& tensor) {
  std::string text(name_of(tensor.dtype));
  text += '[';
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
  return text + ']';
}

Status check_arguments(const std::vector<WeightedCopy>& copies, const MergeSettings& settings) {
  const auto wrong = [](std::string text) { return fail(ErrorCode::kInvalidArgument, "merge: " + std::move(text)); };
  if (copies.empty()) return wrong("no copies given; at least one is needed");
  std::set<std::string_view> keys;
  for (const auto& copy : copies) {
    if (!keys.insert(copy.key).second) return wrong("key '" + printable(copy.key) + "' is given twice");
    if (!std::isfinite(copy.coefficient) || copy.coefficient < 0)
      return wrong("coefficient of '" + printable(copy.key) + "' must be finite and not negative");
  }
  const auto& outer = settings.outer;
  if (outer.kind == OuterKind::kNesterov) {
    if (!std::isfinite(outer.learning_rate) || outer.learning_rate <= 0) return wrong("learning_rate must be above 0");
    if (!(outer.momentum >= 0 && outer.momentum < 1)) return wrong("momentum must be in [0, 1)");
    if (!settings.base.empty() && settings.momentum_out.empty()) return wrong("nesterov needs momentum_out");
  }
  if (settings.chunk_bytes < 4096) return wrong("chunk_bytes must be at least 4096");
  return {};
}

void open_copies(const std::vector<WeightedCopy>& copies, bool needs_steps, MergePlan& plan) {
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i].coefficient <= 0) {
      plan.left_out.push_back({i, "its coefficient is 0: it trained on nothing"});
    } else if (needs_steps && copies[i].steps == 0) {
      plan.left_out.push_back({i, "it did no steps, which fednova divides by"});
    } else if (auto file = SafetensorsFile::open(copies[i].file); !file) {
      plan.left_out.push_back({i, file.error().message});
    } else {
      plan.copies.push_back({i, &copies[i], std::move(*file)});
    }
  }
  std::sort(plan.copies.begin(), plan.copies.end(),
            [](const OpenCopy& a, const OpenCopy& b) { return a.copy->key < b.copy->key; });
}

// Without a base: the copy whose layout carries the largest total coefficient; ties go to the smallest key.
std::size_t dominant_layout(const std::vector<OpenCopy>& copies) {
  std::size_t best = 0;
  double best_weight = 0;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    double weight = 0;
    for (const auto& other : copies)
      if (layout_difference(copies[i].file, other.file).empty()) weight += other.copy->coefficient;
    if (weight > best_weight) {
      best = i;
      best_weight = weight;
    }
  }
  return best;
}

void leave_out_misfits(MergePlan& plan) {
  if (plan.copies.empty()) return;
  std::vector<std::string> differences;
  const auto& wanted = plan.base ? *plan.base : plan.copies[dominant_layout(plan.copies)].file;
  for (const auto& copy : plan.copies) differences.push_back(layout_difference(wanted, copy.file));
  for (std::size_t at = differences.size(); at-- > 0;)
    if (!differences[at].empty()) plan.leave_out(at, std::move(differences[at]));
}

}  // namespace

const OpenCopy& MergePlan::heaviest() const {
  HADAR_REQUIRE(!copies.empty());
  return *std::max_element(copies.begin(), copies.end(), [](const OpenCopy& a, const OpenCopy& b) {
    return a.copy->coefficient < b.copy->coefficient;
  });
}

void MergePlan::leave_out(std::size_t at, std::string reason) {
  left_out.push_back({copies[at].index, std::move(reason)});
  copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(at));
}

std::vector<double> MergePlan::shares() const {
  // Divided by the largest first: a sum of huge coefficients must not overflow.
  const double largest = heaviest().copy->coefficient;
  double total = 0;
  std::vector<double> shares;
  for (const auto& copy : copies) {
    shares.push_back(copy.copy->coefficient / largest);
    total += shares.back();
  }
  for (auto& share : shares) share /= total;
  return shares;
}

std::string layout_difference(const SafetensorsFile& wanted, const SafetensorsFile& found) {
  for (const auto& tensor : wanted.tensors()) {
    const auto* other = found.find(tensor.name);
    const auto name = "tensor '" + printable(tensor.name) + "'";
    if (other == nullptr) return name + " is missing";
    if (other->dtype != tensor.dtype || other->shape != tensor.shape)
      return name + " is " + form_of(*other) + " where the others have " + form_of(tensor);
  }
  for (const auto& tensor : found.tensors())
    if (wanted.find(tensor.name) == nullptr) return "tensor '" + printable(tensor.name) + "' is not in the others";
  return {};
}

Result<MergePlan> plan_merge(const std::vector<WeightedCopy>& copies, const MergeSettings& settings) {
  if (auto good = check_arguments(copies, settings); !good) return fail(std::move(good));
  MergePlan plan;
  if (!settings.base.empty()) {
    auto base = SafetensorsFile::open(settings.base);
    if (!base) return tl::unexpected(Error{base.error().code, "merge: base version: " + base.error().message});
    plan.base.emplace(std::move(*base));
  }
  open_copies(copies, plan.base && settings.outer.kind == OuterKind::kFedNova, plan);
  leave_out_misfits(plan);
  if (plan.copies.empty()) return tl::unexpected(nothing_left(plan, copies));
  return plan;
}

Error nothing_left(const MergePlan& plan, const std::vector<WeightedCopy>& copies) {
  std::string text = "merge: none of " + std::to_string(copies.size()) + " copies can be used";
  constexpr std::size_t kNamed = 8;
  for (std::size_t i = 0; i < plan.left_out.size() && i < kNamed; ++i)
    text += "; '" + printable(copies[plan.left_out[i].index].key) + "': " + plan.left_out[i].reason;
  return {ErrorCode::kCorrupt, std::move(text)};
}

}  // namespace hadar::detail
