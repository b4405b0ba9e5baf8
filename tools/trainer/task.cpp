#include "tools/trainer/tasks.hpp"

namespace hadar::trainer {
namespace {

template <class Data>
Result<std::unique_ptr<Task>> task_over(Result<Data> data, std::unique_ptr<Task> (*make)(Data)) {
  if (!data) return fail(std::move(data));
  return make(*std::move(data));
}

}  // namespace

Result<std::unique_ptr<Task>> make_task(const std::string& workload, const std::filesystem::path& folder) {
  if (workload == "image") return task_over(load_digits(folder), make_image_task);
  if (workload == "weather") return task_over(load_wind(folder), make_weather_task);
  if (workload == "recommendation") return task_over(load_ratings(folder), make_recommendation_task);
  return fail(ErrorCode::kInvalidArgument,
              "workload '" + workload + "' is unknown; choose image, weather, recommendation or sleep");
}

}  // namespace hadar::trainer
