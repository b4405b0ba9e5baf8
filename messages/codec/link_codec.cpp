#include "messages/codec/link_codec.hpp"

#include "messages/codec/wire.hpp"
#include "messages/schema/link.capnp.h"

namespace hadar::wire {

static void build(DirectoryEntry::Builder out, const std::pair<const std::string, std::string>& in) {
  out.setRole(text(in.first));
  out.setEndpoint(text(in.second));
}

static std::map<std::string, std::string> read_directory(capnp::List<DirectoryEntry>::Reader list, const Where& at) {
  return read_rising_map<std::string>(list, at, [](DirectoryEntry::Reader entry, const Where& where) {
    return std::pair(read_name(entry.getRole(), where / "role"), read_name(entry.getEndpoint(), where / "endpoint"));
  });
}

static void build(PeerInfo::Builder out, const hadar::PeerInfo& in) {
  out.setName(text(in.name));
  build_list(in.roles, [&](auto size) { return out.initRoles(size); });
  out.setIncarnation(in.incarnation);
  out.setEndpoint(text(in.endpoint));
  out.setPid(in.pid);
  build_list(in.directory, [&](auto size) { return out.initDirectory(size); });
}

static hadar::PeerInfo read(PeerInfo::Reader in, const Where& at) {
  hadar::PeerInfo out;
  out.name = read_name(in.getName(), at / "name");
  out.roles = read_names(in.getRoles(), at / "roles");
  out.incarnation = in.getIncarnation();
  out.endpoint = read_optional_name(in.getEndpoint(), at / "endpoint");
  out.pid = in.getPid();
  out.directory = read_directory(in.getDirectory(), at / "directory");
  return out;
}

static void build(LinkHello::Builder out, const hadar::LinkHello& in) {
  out.setClusterId(text(in.cluster_id));
  out.setProtocolVersion(in.protocol_version);
  build(out.initSelf(), in.self);
}

static hadar::LinkHello read(LinkHello::Reader in, const Where& at) {
  hadar::LinkHello out;
  out.cluster_id = read_optional_name(in.getClusterId(), at / "cluster_id");
  out.protocol_version = in.getProtocolVersion();
  out.self = read(in.getSelf(), at / "self");
  return out;
}

static void build(LinkWelcome::Builder out, const hadar::LinkWelcome& in) {
  out.setProtocolVersion(in.protocol_version);
  build(out.initSelf(), in.self);
}

static hadar::LinkWelcome read(LinkWelcome::Reader in, const Where& at) {
  hadar::LinkWelcome out;
  out.protocol_version = in.getProtocolVersion();
  out.self = read(in.getSelf(), at / "self");
  return out;
}

static void build(LinkRefused::Builder out, const hadar::LinkRefused& in) {
  out.setText(text(in.text));
  out.setCode(static_cast<ErrorCode>(in.code));
}

static hadar::LinkRefused read(LinkRefused::Reader in, const Where& at) {
  hadar::LinkRefused out;
  out.text = read_text(in.getText(), at / "text");
  out.code = read_enum<hadar::ErrorCode>(in.getCode(), 1, 12, at / "code");
  return out;
}

static void build(LinkPing::Builder out, const hadar::LinkPing& in) {
  out.setNonce(in.nonce);
}

static hadar::LinkPing read(LinkPing::Reader in, const Where&) {
  hadar::LinkPing out;
  out.nonce = in.getNonce();
  return out;
}

static void build(LinkPong::Builder out, const hadar::LinkPong& in) {
  out.setNonce(in.nonce);
}

static hadar::LinkPong read(LinkPong::Reader in, const Where&) {
  hadar::LinkPong out;
  out.nonce = in.getNonce();
  return out;
}

static void build(LinkBye::Builder out, const hadar::LinkBye& in) {
  out.setText(text(in.text));
}

static hadar::LinkBye read(LinkBye::Reader in, const Where& at) {
  hadar::LinkBye out;
  out.text = read_text(in.getText(), at / "text");
  return out;
}

}  // namespace hadar::wire

namespace hadar {

HADAR_DEFINE_CODEC(LinkHello, "link_hello")
HADAR_DEFINE_CODEC(LinkWelcome, "link_welcome")
HADAR_DEFINE_CODEC(LinkRefused, "link_refused")
HADAR_DEFINE_CODEC(LinkPing, "link_ping")
HADAR_DEFINE_CODEC(LinkPong, "link_pong")
HADAR_DEFINE_CODEC(LinkBye, "link_bye")

}  // namespace hadar
