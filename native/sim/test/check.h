// What the tests share: checks that end the test, a node of their own, and the command nvml-sim.
#ifndef PITCREW_SIM_TEST_CHECK_H
#define PITCREW_SIM_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include "../nvml_functions.h"

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) check_failed(__FILE__, __LINE__, #condition);                \
  } while (0)

#define EXPECT(expected, actual) check_equal(__FILE__, __LINE__, #actual, (long long)(expected), (long long)(actual))
#define EXPECT_TEXT(expected, actual) check_text(__FILE__, __LINE__, #actual, expected, actual)
#define OK(call) EXPECT(NVML_SUCCESS, call)

_Noreturn void check_failed(const char *file, int line, const char *what);
void check_equal(const char *file, int line, const char *what, long long expected, long long actual);
void check_text(const char *file, int line, const char *what, const char *expected, const char *actual);

struct check_test {
  const char *name;
  void (*run)(void);
};
#define TEST(name) {#name, name}

// Runs each test in a process and with a state file of its own.
int check_run(const char *suite, const struct check_test *tests, int count);
#define RUN(suite, tests) check_run(suite, tests, (int)(sizeof(tests) / sizeof((tests)[0])))

// Makes the node of the test and opens NVML.
void node(const char *profile, int gpus);
// The same with a driver of one's own: its version, and CUDA's as "13.0".
void driver(const char *profile, int gpus, const char *version, const char *cuda);
// nvml-sim on the node of the test, with its exit status; sim_lines gives it lines to read as "-".
int sim(const char *format, ...) __attribute__((format(printf, 1, 2)));
int sim_lines(const char *lines, const char *arguments);
const char *state_file(void);
nvmlDevice_t gpu(unsigned index);
long long milliseconds(void);

#endif
