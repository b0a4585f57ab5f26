// Events: who gets which, how fast, and across processes.
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../state.h"
#include "check.h"

static const unsigned long long ALL = 0xB;

static nvmlEventSet_t setOn(unsigned first, unsigned last) {
  nvmlEventSet_t set;
  OK(nvmlEventSetCreate(&set));
  for (unsigned i = first; i <= last; i++) OK(nvmlDeviceRegisterEvents(gpu(i), ALL, set));
  return set;
}

static void anEventNamesItsGpuAndInstance(void) {
  nvmlEventData_t data;
  node("a100-40g", 4);
  nvmlEventSet_t set = setOn(0, 3);
  EXPECT(0, sim("xid 2 94 5 0"));
  EXPECT(0, sim("xid 1 79"));
  EXPECT(0, sim("ecc 3 double"));
  OK(nvmlEventSetWait_v2(set, &data, 1000));
  CHECK(data.device == gpu(2));
  EXPECT(nvmlEventTypeXidCriticalError, data.eventType);
  EXPECT(94, data.eventData);
  EXPECT(5, data.gpuInstanceId);
  EXPECT(0, data.computeInstanceId);
  OK(nvmlEventSetWait_v2(set, &data, 1000));
  CHECK(data.device == gpu(1));
  EXPECT(0xFFFFFFFF, data.gpuInstanceId);
  OK(nvmlEventSetWait_v2(set, &data, 1000));
  EXPECT(nvmlEventTypeDoubleBitEccError, data.eventType);
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(set, &data, 0));
}

static void eachSetGetsEachEventOfItsGpus(void) {
  nvmlEventData_t data;
  node("h100", 3);
  nvmlEventSet_t both = setOn(0, 1), second = setOn(1, 1), none;
  OK(nvmlEventSetCreate(&none));
  EXPECT(0, sim("xid 0 31"));
  EXPECT(0, sim("xid 1 32"));
  EXPECT(0, sim("xid 2 33"));
  OK(nvmlEventSetWait_v2(both, &data, 1000));
  EXPECT(31, data.eventData);
  OK(nvmlEventSetWait_v2(both, &data, 1000));
  EXPECT(32, data.eventData);
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(both, &data, 0));
  OK(nvmlEventSetWait_v2(second, &data, 1000));
  EXPECT(32, data.eventData);
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(none, &data, 0));
  OK(nvmlEventSetFree(none));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlEventSetFree(none));
  EXPECT(NVML_ERROR_INVALID_ARGUMENT, nvmlEventSetWait_v2(none, &data, 0));
}

static void whatHappenedBeforeTheRegistrationIsPast(void) {
  nvmlEventData_t data;
  nvmlEventSet_t set;
  node("h100", 2);
  OK(nvmlEventSetCreate(&set));
  EXPECT(0, sim("xid 0 48"));
  OK(nvmlDeviceRegisterEvents(gpu(0), nvmlEventTypeXidCriticalError, set));
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(set, &data, 0));
  EXPECT(0, sim("ecc 0 single"));  // not asked for
  EXPECT(0, sim("xid 0 49"));
  OK(nvmlEventSetWait_v2(set, &data, 1000));
  EXPECT(49, data.eventData);
}

static void aTimeoutIsHonoured(void) {
  nvmlEventData_t data;
  node("t4", 1);
  nvmlEventSet_t set = setOn(0, 0);
  long long begin = milliseconds();
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(set, &data, 120));
  long long waited = milliseconds() - begin;
  CHECK(waited >= 120 && waited < 2000);
}

static void aFullRingDropsTheOldest(void) {
  nvmlEventData_t data;
  node("t4", 1);
  nvmlEventSet_t set = setOn(0, 0);
  struct sim_state *state = sim_state_open(state_file(), NULL);
  for (unsigned i = 0; i < SIM_EVENT_RING + 10; i++) {
    sim_lock(state);
    sim_event_post(state, (struct sim_event){0, SIM_NO_INSTANCE, SIM_NO_INSTANCE, nvmlEventTypeXidCriticalError, i});
    sim_unlock(state);
  }
  OK(nvmlEventSetWait_v2(set, &data, 0));
  EXPECT(10, data.eventData);
}

// Another process waits; what it received, and when, is returned in shared memory.
struct received {
  _Atomic int ready;
  nvmlReturn_t result;
  unsigned long long xid;
  long long at_ms;
};

static void waitInChild(struct received *received) {
  nvmlEventData_t data = {0};
  OK(nvmlInit_v2());
  nvmlEventSet_t set = setOn(0, 0);
  atomic_store(&received->ready, 1);
  received->result = nvmlEventSetWait_v2(set, &data, 20000);
  received->xid = data.eventData;
  received->at_ms = milliseconds();
  _exit(0);
}

static void waitersInOtherProcessesWakeAtOnce(void) {
  enum { CHILDREN = 3 };
  struct received *received = mmap(NULL, CHILDREN * sizeof *received, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  node("h100", 2);
  OK(nvmlShutdown());  // its thread is not the children's
  for (int i = 0; i < CHILDREN; i++) {
    if (fork() == 0) waitInChild(&received[i]);
    while (!atomic_load(&received[i].ready)) usleep(1000);
  }
  usleep(20000);  // let the last one fall asleep: waking sleepers is the point here
  struct sim_state *state = sim_state_open(state_file(), NULL);
  sim_lock(state);
  long long sent = milliseconds();
  sim_event_post(state, (struct sim_event){0, SIM_NO_INSTANCE, SIM_NO_INSTANCE, nvmlEventTypeXidCriticalError, 79});
  sim_unlock(state);
  for (int i = 0; i < CHILDREN; i++) wait(NULL);
  for (int i = 0; i < CHILDREN; i++) {
    EXPECT(NVML_SUCCESS, received[i].result);
    EXPECT(79, received[i].xid);
    CHECK(received[i].at_ms - sent < 1000);
    printf("events: another process received the event after %lld ms\n", received[i].at_ms - sent);
  }
}

static void unloadingEndsAWait(void) {
  struct received *received = mmap(NULL, sizeof *received, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  node("h100", 1);
  OK(nvmlShutdown());
  if (fork() == 0) waitInChild(received);
  while (!atomic_load(&received->ready)) usleep(1000);
  EXPECT(0, sim("unload"));
  wait(NULL);
  EXPECT(NVML_ERROR_DRIVER_NOT_LOADED, received->result);
}

static void eventsDuringFailedWaitsAreDeliveredAfterwards(void) {
  nvmlEventData_t data;
  node("h100", 1);
  nvmlEventSet_t set = setOn(0, 0);
  EXPECT(1, sim("fail nvmlEventSetWait hang"));
  EXPECT(0, sim("fail nvmlEventSetWait 15 2"));
  EXPECT(NVML_ERROR_GPU_IS_LOST, nvmlEventSetWait_v2(set, &data, 1000));
  EXPECT(0, sim("xid 0 79"));
  EXPECT(NVML_ERROR_GPU_IS_LOST, nvmlEventSetWait(set, &data, 1000));
  OK(nvmlEventSetWait_v2(set, &data, 1000));
  EXPECT(79, data.eventData);
}

// Two threads post, two sets are read: nothing is lost or delivered twice.
enum { POSTS = 200 };

static void *postMany(void *unused) {
  struct sim_state *state = sim_state_open(state_file(), NULL);
  for (unsigned i = 0; i < POSTS; i++) {
    sim_lock(state);
    sim_event_post(state, (struct sim_event){0, SIM_NO_INSTANCE, SIM_NO_INSTANCE, nvmlEventTypeXidCriticalError, i});
    sim_unlock(state);
  }
  return unused;
}

static void *readMany(void *set) {
  nvmlEventData_t data;
  for (unsigned i = 0; i < 2 * POSTS; i++) OK(nvmlEventSetWait_v2(set, &data, 10000));
  EXPECT(NVML_ERROR_TIMEOUT, nvmlEventSetWait_v2(set, &data, 0));
  return NULL;
}

static void concurrentReadersMissNothing(void) {
  pthread_t threads[4];
  node("h100", 1);
  nvmlEventSet_t one = setOn(0, 0), two = setOn(0, 0);
  pthread_create(&threads[0], NULL, readMany, one);
  pthread_create(&threads[1], NULL, readMany, two);
  pthread_create(&threads[2], NULL, postMany, NULL);
  pthread_create(&threads[3], NULL, postMany, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

int main(void) {
  static const struct check_test tests[] = {
      TEST(anEventNamesItsGpuAndInstance), TEST(eachSetGetsEachEventOfItsGpus),
      TEST(whatHappenedBeforeTheRegistrationIsPast), TEST(aTimeoutIsHonoured), TEST(aFullRingDropsTheOldest),
      TEST(waitersInOtherProcessesWakeAtOnce), TEST(unloadingEndsAWait),
      TEST(eventsDuringFailedWaitsAreDeliveredAfterwards), TEST(concurrentReadersMissNothing)};
  return RUN("events", tests);
}
