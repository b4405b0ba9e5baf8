#include "actors/policy/round_mechanism/mechanism_memory.hpp"

#include "actors/policy/round_mechanism/memory_bytes.hpp"
#include "actors/policy/round_mechanism/memory_parts.hpp"

namespace hadar {
namespace {

constexpr std::string_view kHeader = "gavel-2022 1\n";

void write(MemoryWriter& out, const Gavel2022Active& active) {
  out.number(active.job.job.value);
  out.number(active.job.gpus);
  out.real(active.job.arrival_s);
  out.number(active.job.total_steps);
  out.number(active.steps_done);
  out.number(active.failures);
  write_history(out, active.history);
}

Gavel2022Active read_active(MemoryReader& in) {
  Gavel2022Active active;
  active.job.job = JobId{in.number()};
  active.job.gpus = static_cast<std::uint32_t>(in.number());
  active.job.arrival_s = in.real();
  active.job.total_steps = in.number();
  active.steps_done = in.number();
  active.failures = static_cast<std::uint32_t>(in.number());
  active.history = read_history(in);
  return active;
}

void write(MemoryWriter& out, const Gavel2022Task& task) {
  write_combination(out, task.what);
  out.number(task.type);
  out.number(task.workers.size());
  for (const auto worker : task.workers) out.number(worker);
  out.number(task.steps[0]);
  out.number(task.steps[1]);
  out.real(task.finish_s);
}

Gavel2022Task read_task(MemoryReader& in) {
  Gavel2022Task task;
  task.what = read_combination(in);
  task.type = static_cast<std::uint32_t>(in.number());
  task.workers.resize(in.count());
  for (auto& worker : task.workers) worker = static_cast<std::uint32_t>(in.number());
  task.steps[0] = in.number();
  task.steps[1] = in.number();
  task.finish_s = in.real();
  return task;
}

}  // namespace

std::string write_memory(const Gavel2022State& state) {
  MemoryWriter out(kHeader);
  out.real(state.now_s);
  out.real(state.round_start_s);
  out.flag(state.round_end_s.has_value());
  out.real(state.round_end_s.value_or(0));
  out.real(state.last_reset_s);
  out.flag(state.needs_shares);
  out.number(state.rounds);
  out.number(state.last_admitted.value);
  write_received(out, state.time);
  out.number(state.active.size());
  for (const auto& active : state.active) write(out, active);
  out.number(state.running.size());
  for (const auto& task : state.running) write(out, task);
  return out.take();
}

std::optional<Gavel2022State> read_gavel_2022(const std::string& memory, std::size_t types) {
  MemoryReader in(memory, kHeader);
  Gavel2022State state;
  state.now_s = in.real();
  state.round_start_s = in.real();
  const bool ended = in.flag();
  const auto round_end_s = in.real();
  if (ended) state.round_end_s = round_end_s;
  state.last_reset_s = in.real();
  state.needs_shares = in.flag();
  state.rounds = in.number();
  state.last_admitted = JobId{in.number()};
  state.time = read_received(in);
  state.active.resize(in.count());
  for (auto& active : state.active) active = read_active(in);
  state.running.resize(in.count());
  for (auto& task : state.running) task = read_task(in);
  bool fits = in.done() && state.time.types() == types;
  for (const auto& task : state.running) fits = fits && task.type < types;
  if (!fits) return std::nullopt;
  return state;
}

}  // namespace hadar
