// In the place of ldconfig: writes down with which rights it runs, and which files it has, where the image sees it.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  char line[256], exe[256] = "";
  FILE *out = fopen("/seen", "w");
  FILE *status = fopen("/proc/self/status", "r");
  if (out == NULL || status == NULL) return 1;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, "CapPrm", 6) == 0 || strncmp(line, "CapEff", 6) == 0 || strncmp(line, "NoNewPrivs", 10) == 0) fputs(line, out);
  }
  if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0) return 1;
  fprintf(out, "exe %s\n", exe);
  for (int file = 3; file < 1024; file++) {
    struct stat at;
    if (file != fileno(out) && file != fileno(status) && fstat(file, &at) == 0) fprintf(out, "descriptor %d\n", file);
  }
  return fclose(out) == 0 ? 0 : 1;
}
