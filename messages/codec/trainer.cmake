# Apart from the other codecs, so that the job SDK links nothing it does not need.
set(CAPNPC_OUTPUT_DIR ${CMAKE_CURRENT_BINARY_DIR}/trainer_schema)
set(CAPNPC_SRC_PREFIX ${PROJECT_SOURCE_DIR}/messages/schema)
file(MAKE_DIRECTORY ${CAPNPC_OUTPUT_DIR})
capnp_generate_cpp(TRAINER_SCHEMA_SOURCES TRAINER_SCHEMA_HEADERS ${PROJECT_SOURCE_DIR}/messages/schema/trainer.capnp)
hadar_library(hadar_trainer_codec SOURCES trainer_codec.cpp ${TRAINER_SCHEMA_SOURCES} LINK hadar_types CapnProto::capnp)
target_include_directories(hadar_trainer_codec SYSTEM PRIVATE ${CAPNPC_OUTPUT_DIR})
unset(CAPNPC_OUTPUT_DIR)
unset(CAPNPC_SRC_PREFIX)
