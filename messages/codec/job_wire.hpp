// Jobs: what was asked for, and where they stand. Wire ↔ value; inside the codec only.
#pragma once

#include "messages/codec/wire.hpp"
#include "messages/schema/job.capnp.h"
#include "messages/types/job.hpp"

namespace hadar::wire {

void build(SleepSpec::Builder out, const hadar::SleepSpec& in);
hadar::SleepSpec read(SleepSpec::Reader in, const Where& at);

void build(JobSpec::Builder out, const hadar::JobSpec& in);
hadar::JobSpec read(JobSpec::Reader in, const Where& at);

void build(JobStatus::Builder out, const hadar::JobStatus& in);
hadar::JobStatus read(JobStatus::Reader in, const Where& at);

}  // namespace hadar::wire
