#define _POSIX_C_SOURCE 200809L
#include "plain_log.h"

#include <mpi.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static FILE* file;
static int me, request = -1;

void log_open(const char* prefix, int rank) {
  char name[4096];
  me = rank;
  if (prefix == NULL) return;
  snprintf(name, sizeof name, "%s.%d", prefix, rank);
  file = fopen(name, "w");
  if (file == NULL) wrong("%s cannot be written", name);
  setvbuf(file, NULL, _IOFBF, 1 << 20);
}

void log_close(void) {
  if (file != NULL && fclose(file) != 0) wrong("the log cannot be written");
  file = NULL;
}

double log_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void log_call(const char* function, double before, double after, const char* format, ...) {
  va_list list;
  if (file == NULL) return;
  fprintf(file, "%s %.9f %.9f ", function, before, after);
  va_start(list, format);
  vfprintf(file, format, list);
  va_end(list);
  if (request >= 0) fprintf(file, " request=%d", request);
  request = -1;
  fputc('\n', file);
}

void request_follows(int number) {
  request = number;
}

void log_fact(const char* format, ...) {
  va_list list;
  if (file == NULL) return;
  va_start(list, format);
  vfprintf(file, format, list);
  va_end(list);
  fputc('\n', file);
}

void wrong(const char* format, ...) {
  va_list list;
  fprintf(stderr, "[rank %d] wrong: ", me);
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fputc('\n', stderr);
  if (file != NULL) fflush(file);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

void pause_briefly(void) {
  const struct timespec moment = {0, 20000};
  nanosleep(&moment, NULL);
}
