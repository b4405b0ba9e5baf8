#include "tools/traces/form.hpp"

namespace hadar::traces {

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms{
      hadar_form(),        gavel_form(),       gavel_msr_form(),       gavel_table_form(),
      gavel_steps_form(),  shockwave_form(),   shockwave_table_form(), tiresias_form(),
      muri_form(),         chronus_form(),     elasticflow_form(),     sia_form(),
      hydra_form(),        philly_json_form(), philly_csv_form(),      durations_form(),
      helios_form(),       acme_form(),        pai_2020_form(),        pai_2020_jobs_form(),
      alibaba_2023_form(), alibaba_2026_form()};
  return kForms;
}

std::vector<FormatInfo> formats() {
  std::vector<FormatInfo> all;
  for (const auto& form : forms()) all.push_back({form.name, form.summary});
  return all;
}

}  // namespace hadar::traces
