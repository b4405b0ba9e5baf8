#include "runtime/weights/weighted_sum.hpp"

#include <algorithm>
#include <utility>

#include "runtime/weights/merge_pass.hpp"
#include "runtime/weights/merge_plan.hpp"
#include "runtime/weights/sum_kernels.hpp"
#include "runtime/weights/utf8.hpp"

namespace hadar {
namespace {

using detail::MergePass;
using detail::MergePlan;

// Looks for numbers that are not finite. Gives the name of the first tensor with one; empty when there is none.
Result<std::string> first_not_finite(const SafetensorsFile& file, const MergeSettings& settings, MergeReport& report) {
  std::vector<std::byte> chunk(settings.chunk_bytes / 8 * 8);
  for (const auto& tensor : file.tensors()) {
    if (merge_rule(tensor.dtype) != MergeRule::kAverage) continue;
    const auto number = number_layout(tensor.dtype);
    for (std::uint64_t from = 0; from < tensor.size(); from += chunk.size()) {
      if (settings.stop.stop_requested()) return fail(ErrorCode::kTimedOut, "merge: stopped before its end, as asked");
      const auto part =
          std::span(chunk).first(static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), tensor.size() - from)));
      if (auto good = file.read(tensor, from, part); !good) return fail(std::move(good));
      report.bytes_read += part.size();
      if (!all_finite(number.dtype, part.data(), part.size() / number.bytes)) return tensor.name;
    }
  }
  return std::string();
}

// Leaves out every copy with a NaN or an infinity. Returns whether any went. Errors: kTimedOut; kCorrupt for the base.
Result<bool> leave_out_not_finite(MergePlan& plan, const MergeSettings& settings, MergeReport& report) {
  if (plan.base && settings.outer.kind != OuterKind::kAverage) {
    const auto bad = first_not_finite(*plan.base, settings, report);
    if (!bad) return tl::unexpected(bad.error());
    if (!bad->empty())
      return fail(ErrorCode::kCorrupt, "merge: base version: tensor '" + printable(*bad) + "' holds NaN or infinity");
  }
  bool any = false;
  for (std::size_t at = plan.copies.size(); at-- > 0;) {
    const auto bad = first_not_finite(plan.copies[at].file, settings, report);
    if (!bad && bad.error().code == ErrorCode::kTimedOut) return tl::unexpected(bad.error());
    if (bad && bad->empty()) continue;
    plan.leave_out(at, bad ? "tensor '" + printable(*bad) + "' holds NaN or infinity" : bad.error().message);
    any = true;
  }
  return any;
}

void fill_report(const MergePlan& plan, std::size_t copies, MergeReport& report) {
  report.share.assign(copies, 0);
  const auto shares = plan.shares();
  for (std::size_t i = 0; i < shares.size(); ++i) {
    report.used.push_back(plan.copies[i].index);
    report.share[plan.copies[i].index] = shares[i];
  }
  std::sort(report.used.begin(), report.used.end());
  report.left_out = plan.left_out;
  std::sort(report.left_out.begin(), report.left_out.end(),
            [](const LeftOutCopy& a, const LeftOutCopy& b) { return a.index < b.index; });
}

}  // namespace

Result<MergeReport> merge_weights(const std::vector<WeightedCopy>& copies, const std::filesystem::path& output,
                                  const MergeSettings& settings) {
  auto plan = detail::plan_merge(copies, settings);
  if (!plan) return fail(std::move(plan));
  MergeReport report;
  report.outer_applied = plan->base.has_value() && settings.outer.kind != OuterKind::kAverage;
  // Every turn but the last leaves out at least one copy.
  while (!plan->copies.empty()) {
    report.bytes_written = 0;
    MergePass pass(*plan, settings, report);
    auto good = pass.run(output);
    if (good) {
      fill_report(*plan, copies.size(), report);
      return report;
    }
    if (pass.culprit()) {
      plan->leave_out(*pass.culprit(), good.error().message);
      continue;
    }
    if (!pass.not_finite()) return fail(std::move(good));
    const auto found = leave_out_not_finite(*plan, settings, report);
    if (!found) return tl::unexpected(found.error());
    if (!*found) return fail(std::move(good));
  }
  return tl::unexpected(detail::nothing_left(*plan, copies));
}

}  // namespace hadar
