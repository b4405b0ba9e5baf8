#include "actors/policy/round_mechanism/fair_state.hpp"

#include <algorithm>

#include "actors/policy/round_mechanism/fingerprint.hpp"
#include "actors/policy/round_mechanism/memory_parts.hpp"

namespace hadar {
namespace {

constexpr std::string_view kHeader = "shares 2\n";
constexpr std::size_t kMostBytes = 1U << 20U;
constexpr double kAheadRounds = 1;
constexpr double kBehindRounds = 8;
constexpr double kNoShare = 1e-6;  // of a solver's noise
constexpr std::size_t kMostNotes = 8;
constexpr std::size_t kLongestNote = 200;

auto row_of(std::vector<FairRow>& rows, const Combination& what) {
  return std::lower_bound(rows.begin(), rows.end(), what,
                          [](const FairRow& row, const Combination& key) { return row.what < key; });
}

std::uint64_t fingerprint_of(const std::vector<GpuType>& types) {
  Fingerprint print;
  for (const auto& type : types) print.add(type);
  return print.value();
}

bool trivial(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0; });
}

std::string written(const FairState& state, bool claims, bool shares) {
  MemoryWriter out(kHeader);
  out.number(state.types);
  out.real(state.at_s);
  out.real(state.asked_s);
  out.number(shares ? state.question : 0);
  const auto types = state.rows.empty() ? 0 : state.rows.front().share.size();
  out.number(types);
  out.number(shares ? state.rows.size() : 0);
  for (const auto& row : state.rows) {
    if (!shares) break;
    write_combination(out, row.what);
    for (std::size_t type = 0; type < types; ++type) {
      out.real(row.share[type]);
      out.real(claims ? row.behind_s[type] : 0);
    }
  }
  out.number(state.notes.size());
  for (const auto& note : state.notes) out.text(note);
  out.number(state.placed.size());
  for (const auto& place : state.placed) {
    write_combination(out, place.what);
    out.number(place.type);
  }
  out.number(state.histories.size());
  for (const auto& [job, history] : state.histories) {
    out.number(job.value);
    write_history(out, history);
  }
  return out.take();
}

std::optional<FairState> read(const std::string& memory) {
  MemoryReader in(memory, kHeader);
  FairState state;
  state.types = in.number();
  state.at_s = in.real();
  state.asked_s = in.real();
  state.question = in.number();
  const auto types = in.count();
  const auto rows = in.count();
  for (std::size_t r = 0; r < rows && in.good(); ++r) {
    FairRow row{read_combination(in), std::vector<double>(types), std::vector<double>(types)};
    for (std::size_t type = 0; type < types; ++type) {
      row.share[type] = in.real();
      row.behind_s[type] = in.real();
    }
    if (!state.rows.empty() && !(state.rows.back().what < row.what)) return std::nullopt;
    state.rows.push_back(std::move(row));
  }
  state.notes.resize(in.count());
  for (auto& note : state.notes) note = in.text();
  state.placed.resize(in.count());
  for (auto& place : state.placed) {
    place.what = read_combination(in);
    place.type = static_cast<std::uint32_t>(in.number());
  }
  const auto histories = in.count();
  for (std::size_t h = 0; h < histories && in.good(); ++h) {
    const JobId job{in.number()};
    state.histories[job] = read_history(in);
  }
  if (!in.done()) return std::nullopt;
  return state;
}

}  // namespace

void settle_time(FairState& state, double now_s, double round_s) {
  const auto elapsed_s = std::max(0.0, now_s - state.at_s);
  state.at_s = now_s;
  for (const auto& place : state.placed)
    if (const auto row = row_of(state.rows, place.what); row != state.rows.end() && row->what == place.what)
      row->behind_s[place.type] -= elapsed_s;
  for (auto& row : state.rows)
    for (std::size_t type = 0; type < row.share.size(); ++type)
      row.behind_s[type] = row.share[type] == 0 ? 0
                                                : std::clamp(row.behind_s[type] + row.share[type] * elapsed_s,
                                                             -kAheadRounds * round_s, kBehindRounds * round_s);
}

void forget_gone(FairState& state, const std::vector<JobId>& jobs) {
  const auto here = [&](JobId job) { return std::binary_search(jobs.begin(), jobs.end(), job); };
  const auto gone = [&](const Combination& what) { return !here(what.a) || (what.pair() && !here(what.b)); };
  std::erase_if(state.rows, [&](const FairRow& row) { return gone(row.what); });
  std::erase_if(state.placed, [&](const FairPlace& place) { return gone(place.what); });
  std::erase_if(state.histories, [&](const auto& entry) { return !here(entry.first); });
}

void take_shares(FairState& state, const ShareProblem& problem, const TimeShares& shares) {
  std::vector<FairRow> rows;
  const auto add = [&](const Combination& what, std::vector<double> share) {
    for (auto& part : share)
      if (part < kNoShare) part = 0;
    if (trivial(share)) return;
    FairRow row{what, std::move(share), std::vector<double>(problem.types.size(), 0.0)};
    if (const auto old = row_of(state.rows, what); old != state.rows.end() && old->what == what)
      for (std::size_t type = 0; type < row.share.size(); ++type)
        if (row.share[type] > 0) row.behind_s[type] = old->behind_s[type];
    rows.push_back(std::move(row));
  };
  for (std::size_t i = 0; i < problem.jobs.size(); ++i) add({problem.jobs[i].job, {}}, shares.alone[i]);
  for (const auto& pair : shares.together) add(pair_of(problem.jobs[pair.a].job, problem.jobs[pair.b].job), pair.share);
  std::sort(rows.begin(), rows.end(), [](const FairRow& a, const FairRow& b) { return a.what < b.what; });
  state.rows = std::move(rows);
  state.notes.assign(shares.notes.begin(),
                     shares.notes.begin() + static_cast<std::ptrdiff_t>(std::min(shares.notes.size(), kMostNotes)));
  for (auto& note : state.notes) note.resize(std::min(note.size(), kLongestNote));
}

std::string write_memory(const FairState& state) {
  auto memory = written(state, true, true);
  if (memory.size() > kMostBytes) memory = written(state, false, true);
  if (memory.size() > kMostBytes) memory = written(state, false, false);
  return memory.size() > kMostBytes ? std::string() : memory;
}

FairState read_fair_state(const std::string& memory, const std::vector<GpuType>& types) {
  auto state = read(memory);
  const auto print = fingerprint_of(types);
  const auto fits = [&] {
    if (state->types != print) return false;
    for (const auto& row : state->rows)
      if (row.share.size() != types.size()) return false;
    return std::all_of(state->placed.begin(), state->placed.end(),
                       [&](const FairPlace& place) { return place.type < types.size(); });
  };
  if (state && fits()) return *std::move(state);
  FairState fresh;
  fresh.types = print;
  return fresh;
}

}  // namespace hadar
