// Every command of `hadar`, as a function of its parsed arguments. Each prints to stdout and returns how it ended;
// errors are printed by the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launchers/estimate_check.hpp"
#include "messages/types/control.hpp"
#include "tools/cli/cluster_location.hpp"
#include "tools/cli/outcome.hpp"

namespace hadar::cli {

struct SimulateArgs;

// What all commands share.
struct Settings {
  Where where;
  bool json = false;
};

struct SubmitArgs {
  std::string file;
  std::string key;
  bool wait = false;
  bool keep_infeasible = false;
};
// Submits a job file; with `wait` stays until the job ended and fails unless it completed.
CommandResult run_submit(const Settings& settings, const SubmitArgs& args);

// Cancels, holds or releases a job.
CommandResult run_job_action(const Settings& settings, const std::string& job, JobAction action);
// Lists unfinished jobs, or all.
CommandResult run_jobs(const Settings& settings, bool all);
// One job in full.
CommandResult run_show(const Settings& settings, const std::string& job);
// Why a job stands where it stands.
CommandResult run_explain(const Settings& settings, const std::string& job);

struct LogsArgs {
  std::string job;
  std::uint32_t fork = 0;
  bool follow = false;
};
// The output of a job's trainers; `follow` stays until the job ended.
CommandResult run_logs(const Settings& settings, const LogsArgs& args);

struct ModelArgs {
  std::string job;
  std::string output;  // empty: only say which version there is; "-": stdout
};
// The current model version of a job.
CommandResult run_model(const Settings& settings, const ModelArgs& args);

// Nodes, rounds and jobs, live; changes as plain lines when stdout is no terminal. Ends on Ctrl-C.
CommandResult run_watch(const Settings& settings);

CommandResult run_nodes(const Settings& settings);

struct DrainArgs {
  std::string node;
  std::string reason;
  double deadline_s = 0;
  bool wait = true;
};
// Takes a node out of service; waits until it holds nothing.
CommandResult run_drain(const Settings& settings, const DrainArgs& args);
CommandResult run_node_action(const Settings& settings, const std::string& node, NodeAction action);

CommandResult run_prices(const Settings& settings, std::uint32_t rounds);

struct EventsArgs {
  bool follow = false;
  std::string job;  // id or name; empty = all
  std::uint64_t after_seq = 0;
};
CommandResult run_events(const Settings& settings, const EventsArgs& args);

struct EstimateArgs {
  std::string throughputs;  // a table of speeds; empty: Gavel's measured one
  EstimateCheckOptions options;
};
// How far first guesses of speeds are off on what they never saw.
CommandResult run_estimate_check(const Settings& settings, const EstimateArgs& args);

// Checks this machine, and the cluster where one is named; fails when something is wrong.
CommandResult run_doctor(const Settings& settings);

struct ReplayArgs {
  std::string round;  // number of a kept round, or a file of it
  std::string policy;
  std::vector<std::string> set;  // "key=value" of the policy
};
// Plans a kept round again and compares the bytes with the recorded plan.
CommandResult run_replay(const Settings& settings, const ReplayArgs& args);

struct SolveArgs {
  std::string instance;     // file of one allocation problem
  std::string policy;       // a rule that answers with time shares
  std::string throughputs;  // table of pair speeds; empty = none
};
// Solves one allocation problem and prints the answer as JSON.
CommandResult run_solve(const SolveArgs& args);

CommandResult run_config_check(const Settings& settings, const std::string& file);
CommandResult run_config_show(const Settings& settings, const std::string& file);
CommandResult run_policies(const Settings& settings);
CommandResult run_version(const Settings& settings);

// Runs a trace under policies in virtual time.
CommandResult run_simulate(const SimulateArgs& args);

struct RerunArgs {
  std::string file;
  std::uint32_t threads = 1;
};
// Runs what a result of simulate says, and compares.
CommandResult run_rerun(const Settings& settings, const RerunArgs& args);

struct ReproArgs {
  std::string recipe;  // a name, or "list"
  std::string seeds;   // empty = as the recipe says
  std::string only;    // experiments whose name begins so; empty = all
  std::string data;    // folder of public data; empty = none
  std::vector<std::string> schemes;
  std::vector<std::string> set;
  std::uint32_t threads = 1;
};
// Runs a named experiment and sets measured, ceiling and published figures side by side.
CommandResult run_repro(const Settings& settings, const ReproArgs& args);

struct CalibrateArgs {
  std::string live;  // files of events, the one of a cluster and the other of its simulation
  std::string simulated;
};
// How far a simulated run is from the live one, job by job, and why.
CommandResult run_calibrate(const Settings& settings, const CalibrateArgs& args);

struct ReportArgs {
  std::vector<std::string> events;  // one file per run, or results of simulations; "-" = events on stdin
  std::string html;                 // empty = none
  std::string json;                 // run summaries; empty = none, "-" = stdout
  std::string latex;                // table of simulations; empty = none, "-" = stdout
};
// One HTML page, run summaries as JSON, a LaTeX table: from event files and result files alone.
CommandResult run_report(const ReportArgs& args);

// What a trace is read with.
struct TraceInput {
  std::string file;
  std::string format = "auto";
  std::string throughputs;  // a table of speeds; empty = the built-in one
  std::string cluster;      // refuses larger jobs, says the load; empty = none
  std::uint64_t seed = 0;   // of drawn models, and of a sample
  bool redraw = false;      // draw for models without a speed too
};
// Reads a trace, names every row it refuses, and writes our CSV.
CommandResult run_trace_import(const Settings& settings, const TraceInput& input, const std::string& output);
// The same without writing.
CommandResult run_trace_check(const Settings& settings, const TraceInput& input);
CommandResult run_trace_stats(const Settings& settings, const TraceInput& input);

struct TraceSampleArgs {
  std::optional<std::uint64_t> jobs;
  double from_s = 0;
  std::optional<double> to_s;
  std::string output;
};
// A part of a trace as our CSV.
CommandResult run_trace_sample(const Settings& settings, const TraceInput& input, const TraceSampleArgs& args);

struct TraceGenerateArgs {
  std::string profile;
  std::uint64_t jobs = 0;
  double jobs_per_h = 0;
  std::uint64_t seed = 0;
  std::string throughputs;
  std::string output;
};
// A made-up trace as our CSV.
CommandResult run_trace_generate(const Settings& settings, const TraceGenerateArgs& args);
// The forms and the profiles that are known.
CommandResult run_trace_formats(const Settings& settings);

}  // namespace hadar::cli
