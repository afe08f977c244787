#include "build_facts.h"

const char build_version[] = BUILD_VERSION;
const char build_commit[] = BUILD_COMMIT;
const char build_flags[] = BUILD_FLAGS;
const char build_loop_flags[] = BUILD_LOOP_FLAGS;
#if defined(__clang__)
const char build_compiler[] = "clang " __clang_version__;
#else
const char build_compiler[] = "gcc " __VERSION__;
#endif
