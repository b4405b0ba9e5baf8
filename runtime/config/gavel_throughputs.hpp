// Tables of speeds in the forms of Gavel (OSDI'20).
//
// What a step is. Gavel's number for a job on s GPUs ("scale factor") is the speed of the whole gang in its own steps,
// the steps its traces count in total_steps: one gang of 8 at 256 steps/s ends 256,000 steps in 1,000 s. Ours is the
// speed of one gang member (messages/types/throughput.hpp), and a gang takes its steps together at its slowest member's
// speed: a gang all of one type runs at exactly the number of its row. So the number is carried over as it is, the
// row's gang size with it, and total_steps too: times, time shares, objectives and JCTs are then Gavel's. Dividing both
// by s would mean the same, but would round steps and change objectives that add up raw speeds. One Gavel step is
// batch_size samples of one member, so 1/s of a step of all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "messages/types/result.hpp"
#include "runtime/config/throughput_csv.hpp"

namespace hadar {

// Whether a text begins like one of the forms below.
bool is_gavel_throughputs(std::string_view text);

// Reads, by the text's beginning,
//   {"v100": {"('ResNet-18 (batch size 16)', 1)": {"null": steps/s, "('LM (batch size 5)', 1)": [own, other]}}},
//     the JSON of the public code (simulation_throughputs.json);
//   {"job_types": […], "pairs": {type: {gpus: [[i, j, own, other]…]}}}, its pairs alone;
//   job_type,scale_factor,k80_steps_per_s,…,k80_unconsolidated_steps_per_s,…, a wide table; empty = not measured.
// GPU types come out in capitals ("V100"); "…_unconsolidated" is placement spread; 0 = cannot run; a job type without a
// batch size gets 1. Pairs of unequal gang sizes, which Gavel never runs, are left out and noted.
// Errors: kInvalidArgument with the file, and the line or the keys.
Result<ThroughputFile> parse_gavel_throughputs(const std::string& text, const std::string& name);

struct JobTypeName {
  std::string model;
  std::uint32_t batch_size = 0;  // 0 = not said
};

// "ResNet-18 (batch size 64)" or "A3C". nullopt: empty, or parentheses that say something else.
std::optional<JobTypeName> parse_job_type(std::string_view text);

}  // namespace hadar
