# Apart from the links between processes, so that the job SDK links nothing it does not need.
hadar_library(hadar_trainer_channel SOURCES trainer_channel.cpp LINK hadar_trainer_codec PkgConfig::ZMQ)
