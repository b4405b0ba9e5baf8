#include "tools/cli/simulate_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "tools/cli/option_checks.hpp"
#include "tools/cli/simulate_args.hpp"

namespace hadar::cli {
namespace {

constexpr std::uint32_t kMostThreads = 256;

// CLI11's own delimiter lets empty names after the last comma go.
std::vector<std::string> split_names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const auto& text : texts)
    for (std::size_t from = 0; from <= text.size();) {
      const auto comma = std::min(text.find(',', from), text.size());
      names.push_back(text.substr(from, comma - from));
      from = comma + 1;
    }
  return names;
}

void add_inputs(CLI::App& command, SimulateArgs& args) {
  command.add_option("--cluster", args.cluster, "The cluster, a TOML file")->required();
  command.add_option("--trace", args.trace, "The jobs, of any form hadar trace reads")->required();
  command.add_option("--policy", args.policies, "Policies with commas between, or all")->required();
  command.add_option("--set", args.set, "POLICY.key=value or prices.key=value, as hadard's files; may be given often");
  command.add_option("--throughputs", args.throughputs,
                     "Table of speeds; without it the cluster file's, else the measured one that comes with Hadar");
  command.add_option("--round", args.round_s, "Seconds of a round")->check(number_between(kLeastRound_s, kLongest_s));
  command.add_option("--seeds", args.seeds, "A..B or one: a run per policy and seed");
  command.add_option("--compat", args.compat, "Rounds to the letter of another simulator")
      ->check(CLI::IsMember({"gavel-2022"}));
  command.add_option("--faults", args.faults, "What goes wrong, a TOML file");
  command.add_option("--costs", args.costs, "CSV model,load_s,save_s: what starts and saves take; model * is the rest");
  command.add_option("--restart", args.restart_s, "Seconds from a lease's start to its first step, for every model")
      ->check(number_between(0, kLongest_s));
  command.add_option("--noise", args.noise, "Spread of a log-normal factor on each lease's speed")
      ->check(number_between(0, kMostNoise));
  command
      .add_option("--merge-efficiency", args.merge_efficiency,
                  "What merges keep of slower forks' steps, 0 to 1; jobs then end by what their steps are worth")
      ->check(number_between(0, 1));
  command
      .add_option("--spread-factor", args.spread_factor, "Speed of gangs over several nodes where no table tells it")
      ->check(number_between(kLeastSpreadFactor, 1));
  command.add_option("--checkpoint", args.checkpoint_s, "Seconds between saves of a running job; 0 = a round")
      ->check(number_between(0, kLongest_s));
  command.add_option("--gpu-cost", args.gpu_costs,
                     "TYPE=COST of a GPU and hour: for the cost of runs, and the prices of policies that weigh costs; "
                     "may be given often");
  command.add_option("--measure-jobs", args.measure_jobs, "A..B: count only these jobs of the trace, from 0");
  command.add_option("--give-up", args.limit_s, "Virtual seconds after which a run is given up")
      ->check(number_between(0, kLongestRun_s));
}

void add_outputs(CLI::App& command, SimulateArgs& args) {
  command.add_option("--explain", args.explain, "Tell what happened to this job, and why");
  command.add_option("--json", args.json, "Write the result there; - is stdout");
  command.add_option("--events", args.events, "Write all events there; of several runs NAME.POLICY.SEED.EXT");
  command.add_option("--report", args.report, "Write one HTML page there, of the first seed");
  command.add_flag("--timing", args.timing, "Tell also what it took on this machine");
  command.add_option("-j,--threads", args.threads, "Runs at a time")->check(whole_between(1, kMostThreads));
}

}  // namespace

void add_simulation_commands(CLI::App& app, const SetCommand& set) {
  const auto args = std::make_shared<SimulateArgs>();
  auto* simulate = app.add_subcommand("simulate", "Run a trace under policies, in virtual time");
  add_inputs(*simulate, *args);
  add_outputs(*simulate, *args);
  simulate->callback([args, set] { set([args] { return run_simulate(*args); }); });

  struct Rerun {
    Settings settings;
    RerunArgs args;
  };
  const auto again = std::make_shared<Rerun>();
  auto* rerun = app.add_subcommand("rerun", "Run again what a result of simulate says, and compare");
  rerun->add_option("RESULT.json", again->args.file, "The result")->required();
  rerun->add_option("-j,--threads", again->args.threads, "Runs at a time")->check(whole_between(1, kMostThreads));
  rerun->add_flag("--json", again->settings.json, "Print JSON");
  rerun->callback([again, set] { set([again] { return run_rerun(again->settings, again->args); }); });

  struct Repro {
    Settings settings;
    ReproArgs args;
  };
  const auto rebuilt = std::make_shared<Repro>();
  auto* repro = app.add_subcommand("repro", "Rebuild what papers report, from a named experiment");
  repro->add_option("NAME", rebuilt->args.recipe, "Its name; list shows them")->required();
  repro->add_option("--seeds", rebuilt->args.seeds,
                    "A..B or one: figures are means over them; without it the recipe's own");
  repro->add_option("--only", rebuilt->args.only, "Only the parts whose name begins so");
  repro->add_option_function<std::vector<std::string>>(
      "--schemes", [rebuilt](const std::vector<std::string>& texts) { rebuilt->args.schemes = split_names(texts); },
      "Only these schemes, as the tables name them, by commas");
  repro->add_option("--set", rebuilt->args.set,
                    "POLICY.key=value or prices.key=value, as hadard's files; may be given often");
  repro->add_option("--data", rebuilt->args.data, "Folder of public data, for the recipes that say so");
  repro->add_option("-j,--threads", rebuilt->args.threads, "Runs at a time")->check(whole_between(1, kMostThreads));
  repro->add_flag("--json", rebuilt->settings.json, "Print JSON");
  repro->callback([rebuilt, set] { set([rebuilt] { return run_repro(rebuilt->settings, rebuilt->args); }); });
}

}  // namespace hadar::cli
