#include "messages/codec/common_wire.hpp"

namespace hadar::wire {

void build(NamedNumber::Builder out, const std::pair<const std::string, double>& in) {
  out.setName(text(in.first));
  out.setNumber(in.second);
}

void build(NamedCount::Builder out, const std::pair<const std::string, std::uint64_t>& in) {
  out.setName(text(in.first));
  out.setCount(in.second);
}

std::map<std::string, double> read_map(capnp::List<NamedNumber>::Reader list, const Where& at,
                                       double (*check)(double, const Where&)) {
  return read_rising_map<double>(list, at, [check](NamedNumber::Reader entry, const Where& where) {
    auto name = read_name(entry.getName(), where / "name");
    const double number = check(entry.getNumber(), where / name);
    return std::pair(std::move(name), number);
  });
}

std::map<std::string, std::uint64_t> read_counts(capnp::List<NamedCount>::Reader list, const Where& at) {
  return read_rising_map<std::uint64_t>(list, at, [](NamedCount::Reader entry, const Where& where) {
    return std::pair(read_name(entry.getName(), where / "name"), entry.getCount());
  });
}

hadar::BlobRef read_blob(BlobRef::Reader in, const Where& at) {
  auto blob = read(in, at);
  if (blob.empty()) refuse(at / "hash", "", "must not be empty");
  return blob;
}

void build(ForkId::Builder out, const hadar::ForkId& in) {
  out.setJob(in.job.value);
  out.setFork(in.fork);
}

hadar::ForkId read(ForkId::Reader in, const Where& at) {
  hadar::ForkId out;
  out.job = read_id<JobId>(in.getJob(), at / "job");
  out.fork = in.getFork();
  return out;
}

void build(BlobRef::Builder out, const hadar::BlobRef& in) {
  out.setHash(text(in.hash));
  out.setSize(in.size);
}

hadar::BlobRef read(BlobRef::Reader in, const Where& at) {
  hadar::BlobRef out;
  out.hash = read_hash(in.getHash(), at / "hash");
  out.size = in.getSize();
  if (out.hash.empty() && out.size != 0) refuse(at / "size", out.size, "must be 0 without a hash");
  return out;
}

void build(ModelVersion::Builder out, const hadar::ModelVersion& in) {
  out.setVersion(in.version);
  build(out.initWeights(), in.weights);
}

hadar::ModelVersion read(ModelVersion::Reader in, const Where& at) {
  hadar::ModelVersion out;
  out.version = in.getVersion();
  out.weights = read(in.getWeights(), at / "weights");
  return out;
}

void build(Reason::Builder out, const hadar::Reason& in) {
  out.setCode(text(in.code));
  out.setText(text(in.text));
  build_list(in.numbers, [&](auto size) { return out.initNumbers(size); });
}

hadar::Reason read(Reason::Reader in, const Where& at) {
  hadar::Reason out;
  out.code = read_optional_name(in.getCode(), at / "code");
  out.text = read_text(in.getText(), at / "text");
  out.numbers = read_map(in.getNumbers(), at / "numbers");
  return out;
}

}  // namespace hadar::wire
