/* The first process of a pod: keeps its namespaces, reaps what falls to it, ends on SIGTERM. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void end(int signal) { _exit(signal == SIGTERM || signal == SIGINT ? 0 : 1); }

static void reap(int signal) { while (waitpid(-1, 0, WNOHANG) > 0) (void)signal; }

int main(void) {
  signal(SIGINT, end), signal(SIGTERM, end), signal(SIGCHLD, reap);
  for (;;) pause();
}
