// Values that every theme uses. Wire ↔ value; inside the codec only.
#pragma once

#include "messages/codec/wire.hpp"
#include "messages/schema/common.capnp.h"
#include "messages/types/ids.hpp"
#include "messages/types/job.hpp"
#include "messages/types/model.hpp"

namespace hadar::wire {

void build(NamedNumber::Builder out, const std::pair<const std::string, double>& in);
void build(NamedCount::Builder out, const std::pair<const std::string, std::uint64_t>& in);

// Names rise; `check` is the rule every number must keep.
std::map<std::string, double> read_map(capnp::List<NamedNumber>::Reader list, const Where& at,
                                       double (*check)(double, const Where&) = finite);
std::map<std::string, std::uint64_t> read_counts(capnp::List<NamedCount>::Reader list, const Where& at);

// A blob that must be there: its hash is not empty.
hadar::BlobRef read_blob(BlobRef::Reader in, const Where& at);

void build(ForkId::Builder out, const hadar::ForkId& in);
hadar::ForkId read(ForkId::Reader in, const Where& at);

void build(BlobRef::Builder out, const hadar::BlobRef& in);
hadar::BlobRef read(BlobRef::Reader in, const Where& at);

void build(ModelVersion::Builder out, const hadar::ModelVersion& in);
hadar::ModelVersion read(ModelVersion::Reader in, const Where& at);

void build(Reason::Builder out, const hadar::Reason& in);
hadar::Reason read(Reason::Reader in, const Where& at);

}  // namespace hadar::wire
