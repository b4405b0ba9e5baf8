#include "tools/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <sstream>

#include "tools/cli/commands.hpp"
#include "tools/cli/option_checks.hpp"
#include "tools/cli/simulate_options.hpp"
#include "tools/cli/text.hpp"
#include "tools/traces/generate.hpp"

namespace hadar::cli {
namespace {

constexpr const char* kJob = "a job's number or name; hadar jobs --all lists them";
constexpr const char* kNode = "a node's name; hadar nodes lists them";
constexpr const char* kFile = "a file, or - for stdout";
constexpr const char* kFolder = "a folder";
constexpr std::uint64_t kMostForks = 1'000'000;
constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

// All values a parse fills; lives as long as the command.
struct Parsed {
  Settings settings;
  bool all = false;
  std::string subject;  // a job, a node or a file
  SubmitArgs submit;
  LogsArgs logs;
  ModelArgs model;
  DrainArgs drain;
  EventsArgs events;
  ReplayArgs replay;
  ReportArgs report;
  CalibrateArgs calibrate;
  SolveArgs solve;
  EstimateArgs estimate;
  bool check = false;
  TraceInput trace;
  TraceSampleArgs trace_sample;
  TraceGenerateArgs trace_generate;
  std::string output;
  std::uint32_t rounds = 10;
  CommandResult (*run)(const Parsed&) = nullptr;
  std::function<CommandResult()> simulation;  // instead of it
};
using Run = CommandResult (*)(const Parsed&);

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& help, Parsed& parsed, Run run) {
  auto* command = app.add_subcommand(name, help);
  command->add_flag("--json", parsed.settings.json, "Print JSON");
  command->callback([&parsed, run] { parsed.run = run; });
  return command;
}

// A command that talks to a cluster.
CLI::App* add_cluster_command(CLI::App& app, const std::string& name, const std::string& help, Parsed& parsed,
                              Run run) {
  auto* command = add_command(app, name, help, parsed, run);
  auto& where = parsed.settings.where;
  command->add_option("--endpoint", where.endpoint, "The gateway, e.g. tcp://127.0.0.1:7700 (or HADAR_ENDPOINT)")
      ->check(given("tcp://HOST:PORT or ipc://PATH"));
  command->add_option("--state", where.state, "A local cluster's state folder (or HADAR_STATE)")->check(given(kFolder));
  command->add_option("--cluster-id", where.cluster_id, "Refuse any other cluster (or HADAR_CLUSTER)")
      ->check(name_given("the cluster's id"));
  command->add_option("--timeout", where.limit_s, "Limit of each request")->check(seconds_between(0.1, 3600));
  return command;
}

void add_job_commands(CLI::App& app, Parsed& parsed) {
  auto& p = parsed;
  auto* submit = add_cluster_command(app, "submit", "Submit a job file", parsed,
                                     [](const Parsed& a) { return run_submit(a.settings, a.submit); });
  submit->add_option("JOB.toml", p.submit.file, "The job file")->required();
  submit->add_option("--key", p.submit.key, "Same key, same job: safe to send again")
      ->check(given("any text but none"));
  submit->add_flag("--wait", p.submit.wait, "Stay until the job ended; fail unless it completed");
  submit->add_flag("--keep-infeasible", p.submit.keep_infeasible, "Keep it even if this cluster can never run it");
  const auto job_command = [&](const char* name, const char* help, Run run) {
    auto* command = add_cluster_command(app, name, help, parsed, run);
    command->add_option("JOB", p.subject, "Number or name")->required()->check(name_given(kJob));
  };
  job_command("cancel", "End a job for good",
              [](const Parsed& a) { return run_job_action(a.settings, a.subject, JobAction::kCancel); });
  job_command("hold", "Keep a job from getting GPUs",
              [](const Parsed& a) { return run_job_action(a.settings, a.subject, JobAction::kHold); });
  job_command("release", "Let a held job go on",
              [](const Parsed& a) { return run_job_action(a.settings, a.subject, JobAction::kRelease); });
  auto* jobs = add_cluster_command(app, "jobs", "List unfinished jobs", parsed,
                                   [](const Parsed& a) { return run_jobs(a.settings, a.all); });
  jobs->add_flag("--all", p.all, "Ended ones too");
  job_command("show", "One job in full", [](const Parsed& a) { return run_show(a.settings, a.subject); });
  job_command("explain", "Why a job stands where it stands",
              [](const Parsed& a) { return run_explain(a.settings, a.subject); });
  auto* logs = add_cluster_command(app, "logs", "The output of a job's trainers", parsed,
                                   [](const Parsed& a) { return run_logs(a.settings, a.logs); });
  logs->add_option("JOB", p.logs.job, "Number or name")->required()->check(name_given(kJob));
  logs->add_option("--fork", p.logs.fork, "Which copy of the job")->check(whole_between(0, kMostForks));
  logs->add_flag("-f,--follow", p.logs.follow, "Stay until the job ended");
  auto* model = add_cluster_command(app, "model", "The current model version of a job", parsed,
                                    [](const Parsed& a) { return run_model(a.settings, a.model); });
  model->add_option("JOB", p.model.job, "Number or name")->required()->check(name_given(kJob));
  model->add_option("-o,--output", p.model.output, "Write the weights (safetensors) there; - is stdout")
      ->check(given(kFile));
}

void add_node_commands(CLI::App& app, Parsed& parsed) {
  auto& p = parsed;
  add_cluster_command(app, "nodes", "List nodes", parsed, [](const Parsed& a) { return run_nodes(a.settings); });
  auto* drain = add_cluster_command(app, "drain", "Take a node out of service and wait until it holds nothing", parsed,
                                    [](const Parsed& a) { return run_drain(a.settings, a.drain); });
  drain->add_option("NODE", p.drain.node, "Name")->required()->check(name_given(kNode));
  drain->add_option("--reason", p.drain.reason, "Shown to everyone")
      ->required()
      ->check(line_given("why, in some words"));
  drain->add_option("--deadline", p.drain.deadline_s, "Take its leases back after so long; 0 waits for their end")
      ->check(seconds_between(0, 1e6));
  drain->add_flag("!--no-wait", p.drain.wait, "Return at once");
  const auto node_command = [&](const char* name, const char* help, Run run) {
    auto* command = add_cluster_command(app, name, help, parsed, run);
    command->add_option("NODE", p.subject, "Name")->required()->check(name_given(kNode));
  };
  node_command("undrain", "Put a node back into service",
               [](const Parsed& a) { return run_node_action(a.settings, a.subject, NodeAction::kUndrain); });
  node_command("forget", "Take a lost node off the list",
               [](const Parsed& a) { return run_node_action(a.settings, a.subject, NodeAction::kForget); });
}

void add_view_commands(CLI::App& app, Parsed& parsed) {
  auto& p = parsed;
  add_cluster_command(app, "watch", "Nodes, rounds and jobs, live", parsed,
                      [](const Parsed& a) { return run_watch(a.settings); });
  auto* prices = add_cluster_command(app, "prices", "Prices per GPU type and round", parsed,
                                     [](const Parsed& a) { return run_prices(a.settings, a.rounds); });
  prices->add_option("--rounds", p.rounds, "How many of the latest")->check(whole_between(1, 100000));
  auto* events = add_cluster_command(app, "events", "Everything that happened", parsed,
                                     [](const Parsed& a) { return run_events(a.settings, a.events); });
  events->add_flag("-f,--follow", p.events.follow, "Stay and show what happens");
  events->add_option("--job", p.events.job, "Only what concerns this job")->check(name_given(kJob));
  events->add_option("--after", p.events.after_seq, "Only events after this seq")->check(whole_between(0, kMostWhole));
  add_cluster_command(app, "doctor", "Check this machine, and the cluster where one is named", parsed,
                      [](const Parsed& a) { return run_doctor(a.settings); });
}

void add_local_commands(CLI::App& app, Parsed& parsed) {
  auto& p = parsed;
  auto* replay = add_command(app, "replay", "Plan a kept round again and compare it with the recorded plan", parsed,
                             [](const Parsed& a) { return run_replay(a.settings, a.replay); });
  replay->add_option("ROUND", p.replay.round, "Number of a round kept under the state folder, or a round's file")
      ->required();
  replay->add_option("--policy", p.replay.policy, "The policy to plan with")->required();
  replay->add_option("--set", p.replay.set, "policy.key=value, as the cluster was started with; may be given often");
  replay->add_option("--state", p.settings.where.state, "A local cluster's state folder (or HADAR_STATE)")
      ->check(given(kFolder));
  auto* solve = add_command(app, "solve", "Solve one allocation problem; prints JSON", parsed,
                            [](const Parsed& a) { return run_solve(a.solve); });
  solve->add_option("INSTANCE.json", p.solve.instance, "The problem")->required();
  solve
      ->add_option("--policy", p.solve.policy,
                   "Shares of time from gavel-…, allox, gandiva; a plan from any other policy")
      ->required();
  solve->add_option("--throughputs", p.solve.throughputs, "Speeds of pairs, where the problem has none itself");
  auto* config = app.add_subcommand("config", "Configuration files");
  config->require_subcommand(1);
  auto* check = add_command(*config, "check", "Check a cluster, job or process file", parsed,
                            [](const Parsed& a) { return run_config_check(a.settings, a.subject); });
  check->add_option("FILE", p.subject, "The file")->required();
  auto* show = add_command(*config, "show", "Print a process file with every option filled in", parsed,
                           [](const Parsed& a) { return run_config_show(a.settings, a.subject); });
  show->add_option("FILE", p.subject, "The file; without it, the defaults");
  auto* estimate = add_command(app, "estimate", "How good first guesses of speeds are", parsed,
                               [](const Parsed& a) { return run_estimate_check(a.settings, a.estimate); });
  estimate->add_flag("--check", p.check, "Leave models and pairs out of a table of speeds, and guess them")->required();
  estimate->add_option("--throughputs", p.estimate.throughputs, "The table; without it, Gavel's measured one");
  estimate->add_option("--references", p.estimate.options.references, "Job types taken as measured in full")
      ->check(whole_between(1, 100000));
  estimate
      ->add_option("--profiled", p.estimate.options.profiled, "Part of its pairs each other job type is measured on")
      ->check(number_between(0.001, 1));
  estimate->add_option("--seed", p.estimate.options.seed, "Of which ones")->check(whole_between(0, kMostWhole));
  add_command(app, "policies", "List policies", parsed, [](const Parsed& a) { return run_policies(a.settings); });
  add_command(app, "version", "Print the version", parsed, [](const Parsed& a) { return run_version(a.settings); });
  auto* calibrate = add_command(app, "calibrate", "How far a simulated run is from the live one, and why", parsed,
                                [](const Parsed& a) { return run_calibrate(a.settings, a.calibrate); });
  calibrate->add_option("LIVE", p.calibrate.live, "Events of the cluster, from hadar events --json")->required();
  calibrate->add_option("SIM", p.calibrate.simulated, "Events of hadar simulate --events")->required();
  auto* report = app.add_subcommand("report", "A page of charts, or a summary, from event files and results alone");
  report
      ->add_option("EVENTS", p.report.events,
                   "Files of hadar events --json, one per run, or of hadar simulate --json; - is stdin")
      ->required();
  report->add_option("-o,--output", p.report.html, "Write one HTML page there; - is stdout")->check(given(kFile));
  report->add_option("--latex", p.report.latex, "Write a LaTeX table of simulated policies there; - is stdout")
      ->check(given(kFile));
  report->add_option("--json", p.report.json, "Write run summaries there; - is stdout")->check(given(kFile));
  report->callback([&parsed] { parsed.run = [](const Parsed& a) { return run_report(a.report); }; });
}

CLI::App* add_trace_reader(CLI::App& trace, const std::string& name, const std::string& help, Parsed& parsed, Run run) {
  auto* command = add_command(trace, name, help, parsed, run);
  auto& input = parsed.trace;
  command->add_option("FILE", input.file, "The trace")->required();
  command->add_option("--format", input.format, "Its form (see hadar trace formats); by default recognised");
  command->add_option("--throughputs", input.throughputs,
                      "Speeds, CSV or Gavel's JSON; by default Gavel's measured ones");
  command->add_option("--cluster", input.cluster, "A cluster file: larger jobs are refused");
  command->add_option("--seed", input.seed, "Of drawn models (and of a sample)")->check(whole_between(0, kMostSeed));
  command->add_flag("--redraw-models", input.redraw, "Draw by duration for models without a speed, too");
  return command;
}

void add_trace_commands(CLI::App& app, Parsed& parsed) {
  auto& p = parsed;
  auto* trace = app.add_subcommand("trace", "Job traces: read, check, count, sample, make up");
  trace->require_subcommand(1);
  const char* where = "Write our CSV there; - is stdout";
  auto* import = add_trace_reader(*trace, "import", "Turn a public trace into our CSV", parsed,
                                  [](const Parsed& a) { return run_trace_import(a.settings, a.trace, a.output); });
  import->add_option("-o,--output", p.output, where)->required()->check(given(kFile));
  add_trace_reader(*trace, "check", "Say what a trace holds and which rows break which rule", parsed,
                   [](const Parsed& a) { return run_trace_check(a.settings, a.trace); });
  add_trace_reader(*trace, "stats", "Jobs, gangs, durations, arrivals, GPU-hours, load", parsed,
                   [](const Parsed& a) { return run_trace_stats(a.settings, a.trace); });
  auto* sample = add_trace_reader(*trace, "sample", "A part of a trace, in its order", parsed, [](const Parsed& a) {
    return run_trace_sample(a.settings, a.trace, a.trace_sample);
  });
  sample->add_option("--jobs", p.trace_sample.jobs, "So many, drawn with equal chance; by default all")
      ->check(whole_between(1, kMostWhole));
  sample->add_option("--from", p.trace_sample.from_s, "Arrivals from this second on, counted from it")
      ->check(seconds_between(0, 4e9));
  sample->add_option("--to", p.trace_sample.to_s, "Arrivals before this second")->check(seconds_between(0, 4e9));
  sample->add_option("-o,--output", p.trace_sample.output, where)->required()->check(given(kFile));
  auto* generate = add_command(*trace, "generate", "Make up a trace", parsed,
                               [](const Parsed& a) { return run_trace_generate(a.settings, a.trace_generate); });
  auto& g = p.trace_generate;
  generate->add_option("--profile", g.profile, "Which kind (see hadar trace formats)")->required();
  generate->add_option("--jobs", g.jobs, "How many")->required()->check(whole_between(1, traces::kMostJobs));
  generate->add_option("--rate", g.jobs_per_h, "Arrivals an hour; without it all come at 0")
      ->check(number_between(0, traces::kMostRate));
  generate->add_option("--seed", g.seed, "Same seed, same bytes")->check(whole_between(0, kMostSeed));
  generate->add_option("--throughputs", g.throughputs, "Speeds, CSV or Gavel's JSON; by default Gavel's measured ones");
  generate->add_option("-o,--output", g.output, where)->required()->check(given(kFile));
  add_command(*trace, "formats", "The forms that are read and the profiles that are made up", parsed,
              [](const Parsed& a) { return run_trace_formats(a.settings); });
}

// The option of "--option="; CLI11 would take the word after it for its value.
std::string empty_option(std::string_view word) {
  const bool empty = word.starts_with("--") && word.find('=') == word.size() - 1;
  return empty ? std::string(word.substr(0, word.size() - 1)) : "";
}

}  // namespace

Result<Command> parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Hadar schedules deep-learning training on clusters whose GPUs differ.", "hadar");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed or refused, 2 usage or malformed file, 3 done in part, 4 cluster not reached.\n");
  const auto parsed = std::make_shared<Parsed>();
  add_job_commands(app, *parsed);
  add_node_commands(app, *parsed);
  add_view_commands(app, *parsed);
  add_local_commands(app, *parsed);
  add_trace_commands(app, *parsed);
  add_simulation_commands(app, [parsed = parsed.get()](std::function<CommandResult()> command) {
    parsed->simulation = std::move(command);
  });
  refuse_empty_values(app);
  for (int i = 1; i < argc; ++i)
    if (const auto option = empty_option(argv[i]); !option.empty())
      return fail(ErrorCode::kInvalidArgument, option + ": got nothing, give a value or leave it out");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream text;
    app.exit(success, text, text);
    return Command([help = text.str()] {
      print(help);
      return CommandResult(ExitCode::kDone);
    });
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && app.get_subcommands().empty() && argv[1][0] != '-')
      return fail(ErrorCode::kInvalidArgument, "no command is called " + std::string(argv[1]) + "; see hadar --help");
    std::string name;
    for (const auto* sub = &app; sub != nullptr;) {
      name += (name.empty() ? "" : " ") + sub->get_name();
      sub = sub->get_subcommands().empty() ? nullptr : sub->get_subcommands().front();
    }
    return fail(ErrorCode::kInvalidArgument, std::string(error.what()) + "; see " + name + " --help");
  }
  if (parsed->simulation) return Command(parsed->simulation);
  parsed->settings.where = with_environment(parsed->settings.where);
  return Command([parsed] { return parsed->run(*parsed); });
}

}  // namespace hadar::cli
