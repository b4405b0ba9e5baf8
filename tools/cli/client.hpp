// A synchronous client of a cluster's gateway.
#pragma once

#include <memory>
#include <string>

#include "messages/codec/codec.hpp"
#include "messages/types/envelope.hpp"
#include "messages/types/payload.hpp"
#include "messages/types/result.hpp"
#include "tools/cli/cluster_location.hpp"

namespace hadar::cli {

// Whether a request changes the cluster: then a missing answer means "outcome unknown", and the error says so.
enum class Effect { kReads, kChanges };

struct Answer {
  MessageKind kind = MessageKind::kNone;
  Payload body;
  Payload payload;
};

// One link to one gateway; reconnects by itself, so that a later request may succeed after an outage. Use from one
// thread.
class Client {
 public:
  // Starts linking to the gateway; does not wait. Errors: kInvalidArgument (endpoint).
  static Result<std::unique_ptr<Client>> open(const ClusterLocation& where, double limit_s);
  ~Client();

  // Sends a request and waits for its answer at most the limit. The codecs of both types must be included where it is
  // called. Errors: the gateway's own; kUnreachable (nothing was sent); kTimedOut (it was sent, no answer);
  // kRefused (the gateway refused the link); kCorrupt (an answer of another kind).
  template <class Reply, class Request>
  Result<Reply> ask(const Request& request, Effect effect = Effect::kReads) {
    auto answer = exchange(Codec<Request>::kind, Codec<Request>::encode(request), effect);
    if (!answer) return fail(std::move(answer));
    if (answer->kind != Codec<Reply>::kind) return wrong_kind(answer->kind);
    return Codec<Reply>::decode(answer->body.bytes(), answer->payload);
  }

  [[nodiscard]] const std::string& endpoint() const;

 private:
  struct Link;
  explicit Client(std::unique_ptr<Link> link);
  Result<Answer> exchange(MessageKind kind, Encoded request, Effect effect);
  tl::unexpected<Error> wrong_kind(MessageKind kind) const;

  std::unique_ptr<Link> link_;
};

// locate() and Client::open() in one.
Result<std::unique_ptr<Client>> open_client(const Where& where);

}  // namespace hadar::cli
