// Sia's and Pollux' workloads: which application, when, on how many GPUs; how many steps is a fact about the
// application.
#include <algorithm>
#include <array>

#include "tools/traces/form.hpp"

namespace hadar::traces {
namespace {

struct Training {
  std::string_view application;
  std::uint32_t batch_size;  // of the whole gang
  std::uint64_t steps;       // to its validation target
};

// Last iteration of each validation curve in Sia's public artifact (SOSP'23, traces/APP/validation-BATCH.csv).
constexpr std::array kTrainings{
    Training{"bert", 12, 14774},        Training{"bert", 24, 7427},         Training{"bert", 48, 3732},
    Training{"bert", 96, 1885},         Training{"bert", 192, 940},         Training{"bert", 384, 480},
    Training{"cifar10", 128, 39062},    Training{"cifar10", 256, 20377},    Training{"cifar10", 512, 10615},
    Training{"cifar10", 1024, 5722},    Training{"cifar10", 2048, 3178},    Training{"cifar10", 4096, 2011},
    Training{"deepspeech2", 20, 28536}, Training{"deepspeech2", 40, 14711}, Training{"deepspeech2", 80, 7683},
    Training{"deepspeech2", 160, 4041}, Training{"deepspeech2", 320, 2264}, Training{"deepspeech2", 640, 1423},
    Training{"gpt_pmp", 12, 14774},     Training{"gpt_pmp", 24, 7427},      Training{"gpt_pmp", 48, 3732},
    Training{"gpt_pmp", 96, 1885},      Training{"gpt_pmp", 192, 940},      Training{"gpt_pmp", 384, 480},
    Training{"imagenet", 200, 576525},  Training{"imagenet", 400, 292995},  Training{"imagenet", 800, 150231},
    Training{"imagenet", 1600, 78453},  Training{"imagenet", 3200, 42123},  Training{"imagenet", 6400, 23972},
    Training{"imagenet", 12800, 14461}, Training{"ncf", 256, 194174},       Training{"ncf", 512, 97094},
    Training{"ncf", 1024, 48625},       Training{"ncf", 2048, 24308},       Training{"ncf", 4096, 12172},
    Training{"ncf", 8192, 6122},        Training{"ncf", 16384, 3069},       Training{"ncf", 32768, 1548},
    Training{"yolov3", 8, 103444},      Training{"yolov3", 16, 52905},      Training{"yolov3", 32, 27430},
    Training{"yolov3", 64, 14577},      Training{"yolov3", 128, 8075},      Training{"yolov3", 256, 4809},
    Training{"yolov3", 512, 3143},
};

void read_row(Fields& row, Collector& jobs) {
  auto draft = begin_draft(row);
  draft.id = row.word("name");
  draft.time_s = row.time("time");
  draft.model = row.word("application");
  draft.gpus_column = "num_replicas";
  draft.gpus = row.whole_gpus("num_replicas");
  const auto batch = row.batch_size("batch_size");
  const auto of_application = [&](const Training& t) { return t.application == draft.model; };
  const auto found = std::find_if(kTrainings.begin(), kTrainings.end(),
                                  [&](const Training& t) { return of_application(t) && t.batch_size == batch; });
  if (std::none_of(kTrainings.begin(), kTrainings.end(), of_application))
    row.wrong("application", "bert, cifar10, deepspeech2, gpt_pmp, imagenet, ncf or yolov3");
  else if (found == kTrainings.end())
    row.wrong("batch_size", "one of the batch sizes for which the application's steps are known");
  if (row.refused()) return;
  draft.total_steps = found->steps;
  draft.batch_size = std::max(1U, batch / static_cast<std::uint32_t>(draft.gpus));
  jobs.remark(
      "steps to the validation target of the application at its batch size (Sia's public artifact, SOSP'23); "
      "the batch size is the whole gang's: divided by its GPUs");
  jobs.take(std::move(draft));
}

}  // namespace

Form sia_form() {
  return {.name = "sia",
          .summary = "Sia's and Pollux' CSV: name,time,application,num_replicas,batch_size",
          .columns = {"name", "time", "application", "num_replicas", "batch_size"},
          .read_row = read_row};
}

}  // namespace hadar::traces
