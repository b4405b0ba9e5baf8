// The three tasks over data already in memory; make_task() in task.hpp reads the data first.
#pragma once

#include <memory>

#include "tools/trainer/data_sets.hpp"
#include "tools/trainer/task.hpp"

namespace hadar::trainer {

std::unique_ptr<Task> make_image_task(Digits digits);
std::unique_ptr<Task> make_weather_task(Wind wind);
std::unique_ptr<Task> make_recommendation_task(Ratings ratings);

}  // namespace hadar::trainer
