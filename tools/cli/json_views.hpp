// Answers of the cluster as JSON text. Keys are snake_case and carry their unit; absent numbers are null, never NaN.
#pragma once

#include <string>
#include <vector>

#include "messages/types/control.hpp"
#include "messages/types/round.hpp"

namespace hadar::cli {

// One object: {job, name, state, user, gpus, steps_total, steps_credited, forks, version, submitted_t_s, started_t_s,
// finished_t_s, reason, …}. `reason` is the code, `reason_text` the sentence.
std::string job_json(const JobStatus& job);
// An array of them.
std::string jobs_json(const std::vector<JobStatus>& jobs);
// {job, state, code, text, numbers{}}
std::string explain_json(const JobStatus& job);
// [{node, state, reason, gpus[{type, count, idle}], leases, …}]
std::string nodes_json(const NodeList& list);
// [{round, stale, price{}, u_min{}, u_max{}}], prices per GPU and round
std::string prices_json(const PriceHistory& history);
// One line {t_s, round, round_s, policy, nodes[], jobs[]} with the objects of nodes_json and jobs_json.
std::string watch_json(const NodeList& nodes, const JobList& jobs);
// One line {job, fork, node, offset, text}
std::string log_json(JobId job, std::uint32_t fork, const LogPart& part);
// {job, name, version, hash, size_bytes, file}
std::string model_json(const JobStatus& job, const std::string& file);
// {round, early, policy, recorded_policy, equal, allocations[{job, fork, slices[{node, gpus[]}], quota_steps,
// steps_per_s}], outcomes[{job, kind, code, text, numbers{}}]}
std::string replay_json(const RoundInput& input, const RoundPlan& plan, const std::string& recorded_policy,
                        const std::string& policy, bool equal);
// {job, name, existed, state, reason}
std::string submitted_json(const JobSubmitted& answer, const std::string& name);

struct Finding {
  bool ok = true;
  std::string check;
  std::string text;  // when not ok it says what would be right
};
// {ok, cluster_id, endpoint, refused{frames, peers, keys}, processes[], findings[]}
std::string doctor_json(const ClusterHealth& health, const std::string& endpoint, const std::vector<Finding>& findings);

// How many frames, peers and keys the processes turned away, all together.
struct RefusedCounts {
  std::uint64_t frames = 0;
  std::uint64_t peers = 0;
  std::uint64_t keys = 0;
};
RefusedCounts refused_counts(const ClusterHealth& health);

// A command that did something and has nothing else to say: {ok: true, KEY: VALUE}.
std::string done_json(const std::string& key, const std::string& value);

}  // namespace hadar::cli
