// The speeds that Gavel's authors measured, as part of the program.
#pragma once

#include "runtime/config/throughput_csv.hpp"

namespace hadar::traces {

// configs/throughputs/gavel.csv, which says more: 26 job types on V100, P100 and K80, 1 to 8 GPUs, alone and side by
// side (OSDI'20, public code, simulation table). Parsed at the first call; thread-safe.
const ThroughputFile& gavel_throughput_file();

}  // namespace hadar::traces
