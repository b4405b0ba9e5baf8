// Hand-made rows in each public form.
#pragma once

#include <string>
#include <vector>

#include "tools/traces/trace.hpp"

namespace hadar::traces::testing {

struct Sample {
  std::string format;
  std::string text;
  std::size_t jobs;  // in it
};

// One of each form that has jobs, every row of it right.
inline const std::vector<Sample>& samples() {
  static const std::vector<Sample> kSamples{
      {"hadar",
       "job_id,arrival_s,model,batch_size,gpus,total_steps,weight,deadline_s,user,forkable\n"
       "a,0,LM,20,1,1000,1,0,ann,true\nb,1.5,A3C,1,2,7,5,3600,,false\n",
       2},
      {"gavel",
       "ResNet-18 (batch size 64)\tpython3 main.py --d=%s\tvision\t--steps\t1\t1646636\t1\t1\t-1.000000\t0.000000\n"
       "A3C\tpython3 a3c.py\trl\t--steps\t0\t5000\t4\t5.0\t-1\t360.5\n",
       2},
      {"gavel-msr",
       "ResNet-18 (batch size 64)\tpython3 main.py\t--steps\t1\t100000\t1e6\t8\n"
       "CycleGAN\tpython3 cyclegan.py\t--steps\t1\t77\t1000010\t1\n",
       2},
      {"gavel-table",
       "job_id,arrival_s,job_type,scale_factor,total_steps,priority_weight,v100_duration_s,slo_multiplier\n"
       "0,0,ResNet-18 (batch size 64),8,1000,1,10,\n1,5,A3C,1,2000,5,100,1.2\n",
       2},
      {"gavel-steps", "model,batch_size,total_steps,num_gpus,priority_weight,arrival_s\nLM,5,10,1,1,0\nA3C,,20,1,1,6\n",
       2},
      {"shockwave",
       "LM (batch size 10)\tpython3 m.py\tlm\t--steps\t1\t134583\t1\tgns\t1\t-1\t1418\t0\n"
       "ResNet-18 (batch size 32)\tpython3 m.py\tcv\t--steps\t1\t143450\t2\tstatic\t1\t-1\t3338\t55.5\n",
       2},
      {"shockwave-table",
       "model,batch_size,total_steps,num_gpus,mode,priority_weight,duration_s,arrival_s\n"
       "LM,10,134583,1,accordion,1,1418,0\n",
       1},
      {"tiresias",
       "job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n1,8,30,133,vgg11,147,23\n2,1,31,9,vgg11,5,"
       "1\n",
       2},
      {"muri",
       "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time,resource_time_0,"
       "priority\n0,1,0,585,dqn,128,286829,46122,490,446,1\n1,8,201694,878,dqn,128,4472936,201694,509,435,0\n",
       2},
      {"chronus",
       "job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list,expect_value_list,"
       "best_effort,job_type\n1,vc_a,1,10,8897,resnet101,31,6,88,10,0,strict\n",
       1},
      {"elasticflow",
       "job_id,submit_time,iteration,model_name,ddl,batch_size,num_gpu,duration\n0,100,2011,cifar10,4100,4096,2,5644\n",
       1},
      {"sia", "name,time,application,num_replicas,batch_size\ncifar10-0,107,cifar10,6,2048\nbert-1,110.5,bert,12,384\n",
       2},
      {"hydra", "job_name,submit_s,deadline_s,A100_s,V100_s,GTX2080Ti_s\n99a,0,,1020,1540,2595\nb1,0,999,1,2,3\n", 2},
      {"philly",
       R"([{"status": "Pass", "vc": "ee9e8c", "jobid": "app_1", "user": "u1", "submitted_time": "2017-10-09 07:01:58",
  "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 08:02:00",
                "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu3", "gpu4"]}]}]},
 {"status": "Killed", "vc": "ee9e8c", "jobid": "app_2", "user": "u\"2}", "submitted_time": "2017-10-09 08:01:58",
  "attempts": [{"start_time": "2017-10-10 00:00:00", "end_time": "2017-10-10 00:00:10",
                "detail": [{"ip": "m1", "gpus": ["gpu0"]}]},
               {"start_time": "2017-10-10 01:00:00", "end_time": "2017-10-10 01:00:20",
                "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]}
])",
       2},
      {"philly-csv",
       "timestamp,duration,num_gpus,gpu_time,cluster\n2017-09-04 10:30:41,100,8,800,7f04ca\n"
       "2017-09-04 10:30:51,50,1,50,6214e9\n",
       2},
      {"durations", "submit_s,duration_s,num_gpus,vc\n0,2240194,8,7f04ca\n235696,3256045,1,6214e9\n", 2},
      {"helios",
       "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
       "7,u1,vc1,16,64,2,COMPLETED,2020-04-01 00:08:27,2020-04-01 00:08:28,2020-04-01 01:08:28,3600,1\n"
       "8,u2,vc1,1,4,1,CANCELLED,2020-04-01 00:09:27,2020-04-01 00:09:28,2020-04-01 00:09:29,1,1\n",
       2},
      {"acme",
       "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time\n"
       "dlc1,u1,1,8,64,Other,COMPLETED,2023-03-01 08:00:01+08:00,2023-03-01 08:00:02+08:00,2023-03-01 08:01:42+08:00,"
       "100,1,800\ndlc2,u1,1,8,64,Other,FAILED,2023-03-01 00:00:11+00:00,,,5,1,40\n",
       2},
      {"pai-2020",
       "j1,tensorflow,4,Terminated,100.0,400.0,600.0,29.3,50.0,MISC\nj1,worker,1,Terminated,90,500,600,29,100,MISC\n"
       "j2,PyTorchWorker,1,Terminated,120,130,600,29.3,25.0,T4\n",
       2},
      {"alibaba-2023",
       "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
       "p0,12000,16384,1,1000,,LS,Succeeded,0,1000,10\np1,6000,12288,1,460,T4|P100,LS,Running,20,1020,30\n",
       2},
      {"alibaba-2026",
       "job_name,organization,gpu_model,cpu_request,gpu_request,worker_num,submit_time,duration,job_type\n"
       "s1,org1,A10,16,4,2,0,3600,HP\ns2,org2,GPU-series-1,16,1,1,5,60,Spot\n",
       2},
  };
  return kSamples;
}

inline Sample sample_of(const std::string& format) {
  for (const auto& sample : samples())
    if (sample.format == format) return sample;
  return {};
}

// The text as other editors write it.
inline std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

}  // namespace hadar::traces::testing
