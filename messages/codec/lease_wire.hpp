// Leases, and what nodes report of them to the job-tracker. Wire ↔ value; inside the codec only.
#pragma once

#include "messages/codec/wire.hpp"
#include "messages/schema/lease.capnp.h"
#include "messages/types/control.hpp"
#include "messages/types/lease.hpp"

namespace hadar::wire {

void build(GangSlot::Builder out, const hadar::GangSlot& in);
hadar::GangSlot read(GangSlot::Reader in, const Where& at);

void build(Lease::Builder out, const hadar::Lease& in);
hadar::Lease read(Lease::Reader in, const Where& at);

void build(ProgressSample::Builder out, const hadar::ProgressSample& in);
hadar::ProgressSample read(ProgressSample::Reader in, const Where& at);

void build(HeldLease::Builder out, const hadar::HeldLease& in);
hadar::HeldLease read(HeldLease::Reader in, const Where& at);

void build(PreparedLease::Builder out, const hadar::PreparedLease& in);
hadar::PreparedLease read(PreparedLease::Reader in, const Where& at);

void build(RefusedLease::Builder out, const hadar::RefusedLease& in);
hadar::RefusedLease read(RefusedLease::Reader in, const Where& at);

}  // namespace hadar::wire
