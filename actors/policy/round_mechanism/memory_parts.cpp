#include "actors/policy/round_mechanism/memory_parts.hpp"

namespace hadar {

void write_combination(MemoryWriter& out, const Combination& what) {
  out.number(what.a.value);
  out.number(what.b.value);
}

Combination read_combination(MemoryReader& in) {
  Combination what;
  what.a = JobId{in.number()};
  what.b = JobId{in.number()};
  return what;
}

void write_history(MemoryWriter& out, const ShareHistory& history) {
  out.real(history.isolated);
  out.real(history.isolated_rate);
  out.number(history.asked_done);
}

ShareHistory read_history(MemoryReader& in) {
  ShareHistory history;
  history.isolated = in.real();
  history.isolated_rate = in.real();
  history.asked_done = in.number();
  return history;
}

void write_received(MemoryWriter& out, const ReceivedTime& time) {
  out.number(time.types());
  for (std::size_t type = 0; type < time.types(); ++type) out.real(time.type_time_s(type));
  out.number(time.rows());
  for (std::size_t r = 0; r < time.rows(); ++r) {
    write_combination(out, time.row(r).what);
    out.number(time.row(r).gpus);
    out.flag(time.row(r).shared);
    for (std::size_t type = 0; type < time.types(); ++type) {
      out.real(time.share(r, type));
      out.real(time.time_s(r, type));
      out.real(time.deficit_s(r, type));
    }
  }
}

ReceivedTime read_received(MemoryReader& in) {
  const auto types = in.count();
  ReceivedTime time(types);
  std::vector<double> type_time(types);
  for (auto& value : type_time) value = in.real();
  const auto rows = in.count();
  for (std::size_t r = 0; r < rows && in.good(); ++r) {
    ReceivedTime::Row row;
    row.what = read_combination(in);
    row.gpus = static_cast<std::uint32_t>(in.number());
    row.shared = in.flag();
    std::vector<ReceivedTime::Cell> cells(types);
    for (auto& cell : cells) {
      cell.share = in.real();
      cell.time_s = in.real();
      cell.deficit_s = in.real();
    }
    time.restore(row, cells);
  }
  time.restore_type_time(std::move(type_time));
  return time;
}

}  // namespace hadar
