// Job traces: what ran when, read from public forms and our own CSV.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "messages/types/result.hpp"
#include "messages/types/throughput.hpp"

namespace hadar::traces {

// One job. Any job_id of 1 to 256 bytes without control characters, "7" too: a JobSpec's name needs more than a number.
struct TraceJob {
  std::string job_id;  // unique within its trace
  double arrival_s = 0;
  std::string model;
  std::uint32_t batch_size = 1;   // samples per step of one gang member; 1 where a source names a model without one
  std::uint32_t gpus = 1;         // gang size, 1 to 65536
  std::uint64_t total_steps = 1;  // 1 to 2^53, in the unit of the speeds: see runtime/config/gavel_throughputs.hpp
  double weight = 1;              // > 0
  double deadline_s = 0;          // after arrival; 0 = none
  std::string user;               // may be empty
  bool forkable = true;

  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

struct Trace {
  std::vector<TraceJob> jobs;  // rising by arrival; equal arrivals in the order of the file

  friend bool operator==(const Trace&, const Trace&) = default;
};

// A row that was not taken, and why.
struct Refusal {
  std::uint32_t line = 0;   // where it starts, from 1
  std::string_view column;  // static text, as is `rule`
  std::string value;        // at most 60 bytes of it; control characters and what is not UTF-8 as '?'
  std::string_view rule;    // what would be right: "must be " + rule
};

// "file:line: column 'c': got 'v', must be …".
std::string text_of(const Refusal& refusal, const std::string& file);

struct LoadedTrace {
  Trace trace;
  std::string format;              // name of the form that was read
  std::uint64_t rows = 0;          // data rows in the file: jobs + refused + joined
  std::uint64_t joined = 0;        // rows that became part of a job begun by another row (tasks of one job)
  std::uint64_t drawn = 0;         // jobs whose model was drawn, since the file has none
  std::vector<Refusal> refused;    // in the order of the file
  std::vector<std::string> notes;  // what was decided or noticed, one sentence each, with counts
  std::string start_note;          // that of them about what arrivals count from; may be empty
};

struct LoadOptions {
  std::string format = "auto";  // or one of format_names()
  // Speeds to draw models from, V100 first; empty = the measured table of Gavel (OSDI'20), those of
  // measured_speeds.hpp.
  ThroughputTable throughputs;
  std::uint64_t seed = 0;       // of the draw
  bool redraw = false;          // draw for models that `throughputs` lacks too, where the file tells a duration
  std::uint32_t gpus_most = 0;  // refuse larger gangs (a cluster's size); 0 = no limit
};

// Reads a trace of any known form. Harmless: CRLF, a byte-order mark, blank lines, no last line break, columns in any
// order where the form has a header, arrivals out of order. A row that breaks a rule is refused and named; reading goes
// on. Times are dates or numbers of seconds, whichever the first row taken has. Dates count from the earliest job, and
// so do numbers in foreign forms that all are at least 1e9 (seconds since 1970); it is noted. A job with a duration but
// no model gets one of the table's job types that run on its gang size, by hash(job_id, seed), and total_steps =
// duration x its V100 speed (the fastest type's where V100 has none); where the table knows no job type at that gang
// size, one measured on one GPU at that speed, as ThroughputBook does. Errors: kNotFound, kIo, kInvalidArgument (over
// 256 MiB, form not recognised, a header column missing or twice, no usable row, over a million refused rows).
// Thread-safe.
Result<LoadedTrace> load_trace(const std::filesystem::path& file, const LoadOptions& options = {});

// The same from text; `name` stands for the file in errors.
Result<LoadedTrace> parse_trace(std::string_view text, const std::string& name, const LoadOptions& options = {});

// job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable; LF line ends; numbers in the
// shortest form that reads back the same. parse_trace gives the same trace back.
std::string to_csv(const Trace& trace);

// The names of all forms, as LoadOptions::format takes them, and one line about each.
struct FormatInfo {
  std::string_view name;
  std::string_view summary;
};
std::vector<FormatInfo> formats();

}  // namespace hadar::traces
