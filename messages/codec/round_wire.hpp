// Rounds: what a policy is given and answers; prices. Wire ↔ value; inside the codec only.
#pragma once

#include "messages/codec/wire.hpp"
#include "messages/schema/round.capnp.h"
#include "messages/types/round.hpp"

namespace hadar::wire {

void build(Estimate::Builder out, const hadar::Estimate& in);
hadar::Estimate read(Estimate::Reader in, const Where& at);

void build(PairEstimate::Builder out, const hadar::PairEstimate& in);
hadar::PairEstimate read(PairEstimate::Reader in, const Where& at);

// Of a list that rises by workloads, gang size and type.
void check_pairs(const hadar::PairTable& pairs, const Where& at);

void build(GpuSlice::Builder out, const hadar::GpuSlice& in);
hadar::GpuSlice read(GpuSlice::Reader in, const Where& at);

void build(Allocation::Builder out, const hadar::Allocation& in);
hadar::Allocation read(Allocation::Reader in, const Where& at);

void build(JobView::Builder out, const hadar::JobView& in);
hadar::JobView read(JobView::Reader in, const Where& at);

void build(NodeCapacity::Builder out, const hadar::NodeCapacity& in);
hadar::NodeCapacity read(NodeCapacity::Reader in, const Where& at);

void build(PriceBoard::Builder out, const hadar::PriceBoard& in);
hadar::PriceBoard read(PriceBoard::Reader in, const Where& at);

void build(RoundInput::Builder out, const hadar::RoundInput& in);
hadar::RoundInput read(RoundInput::Reader in, const Where& at);

void build(Outcome::Builder out, const hadar::Outcome& in);
hadar::Outcome read(Outcome::Reader in, const Where& at);

void build(RoundPlan::Builder out, const hadar::RoundPlan& in);
hadar::RoundPlan read(RoundPlan::Reader in, const Where& at);

}  // namespace hadar::wire
