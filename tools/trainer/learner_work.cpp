#include "tools/trainer/learner_work.hpp"

#include "tools/trainer/learner.hpp"
#include "tools/trainer/weights_file.hpp"

namespace hadar::trainer {
namespace {

class LearnerWork final : public LeaseWork {
 public:
  explicit LearnerWork(std::unique_ptr<Task> task) : learner_(std::move(task)) {}

  Status begin(const hadar_lease& lease) override {
    if (lease.weights_path == nullptr) {
      learner_.initialise(lease.seed);
    } else {
      auto weights = load_weights(lease.weights_path, learner_.layout());
      if (!weights) return fail(std::move(weights));
      learner_.set_weights(*weights);
    }
    learner_.begin({.seed = lease.seed,
                    .first_step = lease.first_step,
                    .total_steps = lease.total_steps,
                    .batch_size = lease.batch_size,
                    .fork = lease.fork,
                    .rank = lease.rank,
                    .world_size = lease.world_size});
    return {};
  }

  bool step(const AllReduce& reduce) override { return learner_.step(reduce); }

  [[nodiscard]] bool has_weights() const override { return true; }

  Status save(const std::filesystem::path& path) override {
    return save_weights(path, learner_.layout(), learner_.weights());
  }

  Metrics metrics() override { return learner_.metrics(); }

 private:
  Learner learner_;
};

}  // namespace

std::unique_ptr<LeaseWork> make_learner_work(std::unique_ptr<Task> task) {
  return std::make_unique<LearnerWork>(std::move(task));
}

}  // namespace hadar::trainer
