// What programs do besides exchanging: ends of all kinds, threads, signals, children, files, and
// more than tables have room for. The first argument says which; nothing of Halocline is in it.

#define _GNU_SOURCE
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int me, ranks;

#define CHECK(holds)                                           \
  do {                                                         \
    if (!(holds)) {                                            \
      fprintf(stderr, "[rank %d] not true: %s\n", me, #holds); \
      MPI_Abort(MPI_COMM_WORLD, 3);                            \
    }                                                          \
  } while (0)

/// One step of a ring: what the left neighbour sends arrives.
static void ring(MPI_Comm comm, int tag, int count) {
  static __thread int out[1024], in[1024];
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Request request[2];
  out[0] = me * 100000 + tag;
  in[0] = -1;
  MPI_Irecv(in, count, MPI_INT, left, tag, comm, &request[0]);
  MPI_Isend(out, count, MPI_INT, right, tag, comm, &request[1]);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  CHECK(count == 0 || in[0] == left * 100000 + tag);
}

static void rings(int times) {
  while (times-- > 0) ring(MPI_COMM_WORLD, 7, 10);
}

static long resident(void) {  // in KiB
  long pages = 0, all;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file != NULL && fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
  if (file != NULL) fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// --- Ends
// ------------------------------------------------------------------------------------------

static void end_by(const char* how) {
  rings(20);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me != ranks - 1) {
    if (strcmp(how, "exit") != 0) MPI_Barrier(MPI_COMM_WORLD);  // for ever
    exit(0);
  }
  if (strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 5);
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "term") == 0) raise(SIGTERM);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  exit(0);
}

/// All wait for ever until an alarm ends them: the first rank for one of two messages, the others
/// for one that nobody sends.
static void stuck(void) {
  int numbers[2] = {0, 0};
  rings(5);
  alarm(1);
  if (me == 0) {
    MPI_Request requests[2];
    MPI_Irecv(&numbers[0], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&numbers[1], 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    MPI_Send(&numbers[0], 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    MPI_Recv(&numbers[1], 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// A ring by functions that are looked up in the handle of MPI's library, as ctypes does.
static void by_handle(int times) {
  Dl_info library;
  void* handle = NULL;
  int in = 0;
  if (dladdr(dlsym(RTLD_DEFAULT, "MPI_Get_version"), &library))
    handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  CHECK(handle != NULL);
  int (*exchange)(const void*, int, MPI_Datatype, int, int, void*, int, MPI_Datatype, int, int,
                  MPI_Comm, MPI_Status*);
  *(void**)&exchange = dlsym(handle, "MPI_Sendrecv");
  while (times-- > 0)
    exchange(&me, 1, MPI_INT, (me + 1) % ranks, 3, &in, 1, MPI_INT, (me + ranks - 1) % ranks, 3,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(in == (me + ranks - 1) % ranks);
}

/// A call that MPI refuses, which the program goes on after.
static void refused(void) {
  int number = 0;
  MPI_Request request;
  rings(3);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Send(&number, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD) != MPI_SUCCESS);
  CHECK(MPI_Irecv(&number, 1, MPI_INT, ranks + 5, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
  CHECK(MPI_Isend(&number, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS);
  rings(3);
}

/// A message longer than its receive has room for.
static void truncated(void) {
  int numbers[10] = {0};
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Isend(numbers, 10, MPI_INT, me, 0, MPI_COMM_WORLD, &request);
  CHECK(MPI_Recv(numbers, 5, MPI_INT, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  rings(3);
}

/// Receives that are complete in another order than the one in which they were posted, or taken
/// back: of messages of one rank and tag the one posted first has the first.
static void wildcards(void) {
  MPI_Request request[3];
  MPI_Message message;
  int out[3] = {0, 1, 2}, in[3], i, cancelled;
  MPI_Status status;
  MPI_Irecv(&in[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request[0]);
  MPI_Irecv(&in[1], 1, MPI_INT, me, 1, MPI_COMM_WORLD, &request[1]);
  MPI_Irecv(&in[2], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request[2]);
  for (i = 0; i < 3; ++i) MPI_Send(&out[i], 1, MPI_INT, me, 1, MPI_COMM_WORLD);
  for (i = 2; i >= 0; --i) MPI_Wait(&request[i], MPI_STATUS_IGNORE);
  for (i = 0; i < 3; ++i) CHECK(in[i] == i);

  for (i = 0; i < 2; ++i) MPI_Irecv(&in[i], 1, MPI_INT, me, 2, MPI_COMM_WORLD, &request[i]);
  MPI_Cancel(&request[0]);
  MPI_Wait(&request[0], &status);
  MPI_Test_cancelled(&status, &cancelled);
  CHECK(cancelled);
  MPI_Send(&out[1], 1, MPI_INT, me, 2, MPI_COMM_WORLD);
  MPI_Wait(&request[1], MPI_STATUS_IGNORE);

  for (i = 0; i < 2; ++i) MPI_Isend(&out[i], 1, MPI_INT, me, 3, MPI_COMM_WORLD, &request[i]);
  MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
  MPI_Recv(&in[1], 1, MPI_INT, me, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Mrecv(&in[0], 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(in[0] == 0 && in[1] == 1);
  MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

/// The parts of arrays that a rank has of six, each sent packed: where its numbers stand is told.
static void arrays(void) {
  static const int how[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int sizes[3] = {7, 6, 5}, hows[3], portions[3], among[3], whole[210], part[210], at, rank, c;
  MPI_Datatype type;
  for (at = 0; at < 210; ++at) whole[at] = at;
  for (c = 0; c < 36; ++c) {
    const int order = c % 2 == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    for (rank = 0; rank < 6; ++rank) {
      int size, number, i;
      for (i = 0; i < 3; ++i) {
        hows[i] = how[(c / 2 + (i == 1 ? c / 6 : i)) % 3];
        among[i] = hows[i] == MPI_DISTRIBUTE_NONE ? 1 : 0;
        portions[i] = MPI_DISTRIBUTE_DFLT_DARG;
        if (hows[i] == MPI_DISTRIBUTE_CYCLIC && c % 3 == 0) portions[i] = 2;
      }
      MPI_Dims_create(6, 3, among);
      MPI_Type_create_darray(6, rank, 3, sizes, hows, portions, among, order, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Type_size(type, &size);
      number = size / (int)sizeof(int);
      MPI_Sendrecv(whole, 1, type, 0, 0, part, number, MPI_INT, 0, 0, MPI_COMM_SELF,
                   MPI_STATUS_IGNORE);
      printf("array");
      for (i = 0; i < number; ++i) printf(" %d", part[i]);
      printf("\n");
      MPI_Type_free(&type);
    }
  }
}

/// A message to itself that is sent and received by one call.
static void both_ways(void) {
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
  int out[10] = {0}, in[20];
  MPI_Request request;
  MPI_Isendrecv(out, 10, MPI_INT, me, 4, in, 20, MPI_INT, me, 4, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
}

// --- Threads
// ---------------------------------------------------------------------------------------

enum { threads = 4, steps = 200 };
static MPI_Comm of_thread[threads];

static void* exchanges(void* which) {
  int step;
  for (step = 0; step < steps; ++step) ring(of_thread[(long)which], step % 5, 10);
  return NULL;
}

static void with_threads(void) {
  pthread_t thread[threads];
  long i;
  for (i = 0; i < threads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, exchanges, (void*)i);
  exchanges((void*)0);
  for (i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
  for (i = 0; i < threads; ++i) MPI_Comm_free(&of_thread[i]);
}

/// A request started by one thread and completed by another.
static MPI_Request handed;
static void* completes(void* nothing) {
  MPI_Wait(&handed, MPI_STATUS_IGNORE);
  return nothing;
}

static void handed_over(void) {
  int in, out = 3, step;
  pthread_t other;
  for (step = 0; step < 20; ++step) {
    MPI_Irecv(&in, 1, MPI_INT, me, 1, MPI_COMM_WORLD, &handed);
    pthread_create(&other, NULL, completes, NULL);
    MPI_Send(&out, 1, MPI_INT, me, 1, MPI_COMM_WORLD);
    pthread_join(other, NULL);
    CHECK(in == 3);
  }
}

// --- Without MPI_Init, and with other programs
// -----------------------------------------------------------------------------

/// All there is of MPI in a program: a session.
static void in_session(int times) {
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "edges", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  for (; times > 0; --times) {
    static int out[10], in[10];
    MPI_Request request[2];
    MPI_Irecv(in, 10, MPI_INT, (me + ranks - 1) % ranks, 7, comm, &request[0]);
    MPI_Isend(out, 10, MPI_INT, (me + 1) % ranks, 7, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
  }
  if (me == 0) printf("session: done\n");
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
#else
  (void)times;
  printf("no sessions\n");
#endif
}

/// Two more processes, behind a program that starts them; each sends the first rank here a number.
static void spawns(char* program, const char* starter) {
  char* arguments[] = {(char*)"--output", (char*)"run.recording", program, (char*)"spawned", NULL};
  MPI_Comm children;
  int in = 0, i, sum = 0;
  rings(3);
  MPI_Comm_spawn(starter, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  for (i = 0; i < 2 && me == 0; ++i) {
    MPI_Recv(&in, 1, MPI_INT, i, 5, children, MPI_STATUS_IGNORE);
    sum += in;
  }
  CHECK(me != 0 || sum == 201);
  MPI_Comm_disconnect(&children);
}

static void spawned(void) {
  MPI_Comm parent;
  const int out = 100 + me;
  rings(4);
  MPI_Comm_get_parent(&parent);
  MPI_Send(&out, 1, MPI_INT, 0, 5, parent);
  MPI_Comm_disconnect(&parent);
}

// --- Signals and children
// --------------------------------------------------------------------------

static volatile sig_atomic_t seen;
static sigjmp_buf back;
static void see(int signal) {
  seen += signal;
}
static void jump(int signal) {
  siglongjmp(back, signal);
}

static void own_handlers(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = see;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  rings(3);
  raise(SIGUSR1);
  raise(SIGTERM);
  CHECK(seen == SIGUSR1 + SIGTERM);
  signal(SIGSEGV, jump);
  if (sigsetjmp(back, 1) == 0) raise(SIGSEGV);
  signal(SIGSEGV, SIG_DFL);
  rings(3);
}

static void children(void) {
  int status;
  pid_t child;
  rings(3);
  CHECK(system("exit 7") == 7 << 8);
  child = fork();
  if (child == 0) exit(9);  // handlers of the end run in it, too
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  child = fork();
  if (child == 0) {
    execlp("true", "true", (char*)NULL);
    _exit(1);
  }
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  rings(3);
}

// --- Files
// -----------------------------------------------------------------------------------------

static void files(void) {
  MPI_File file;
  int out[4], in[4], i;
  for (i = 0; i < 4; ++i) out[i] = me * 4 + i;
  MPI_File_open(MPI_COMM_WORLD, "edges.data",
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
  MPI_File_write_at_all(file, (MPI_Offset)(16 * me), out, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at_all(file, (MPI_Offset)(16 * ((me + 1) % ranks)), in, 4, MPI_INT,
                       MPI_STATUS_IGNORE);
  for (i = 0; i < 4; ++i) CHECK(in[i] == (me + 1) % ranks * 4 + i);
  MPI_File_close(&file);
}

// --- More than there is room for
// -------------------------------------------------------------------

static void communicators(int times) {
  MPI_Comm comm, half;
  for (; times > 0; times -= 2) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ring(comm, 1, 4);
    MPI_Comm_split(comm, me % 2, me, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&comm);
  }
}

/// The same communicators on all ranks, though each rank has made others of its own before.
static void lopsided(int times) {
  MPI_Comm comm;
  int i, step;
  for (i = 0; i < 40 * me; ++i) {
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_free(&comm);
  }
  for (step = 0; step < times; ++step) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ring(comm, 1, 4);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
  }
}

/// More communicators than there is room for, as none is freed before the next is made of it.
static void chain(int times) {
  MPI_Comm comm, next;
  int in, out = 1;
  MPI_Request request;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  for (; times > 0; --times) {
    MPI_Comm_dup(comm, &next);
    MPI_Comm_free(&comm);
    comm = next;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &request);
    MPI_Send(&out, 1, MPI_INT, 0, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&comm);
}

/// Windows made anew for each exchange.
static void windows(int times) {
  static int memory[100];
  MPI_Win win;
  for (; times > 0; --times) {
    const int number = times;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&number, 1, MPI_INT, (me + 1) % ranks, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == times);
    MPI_Win_free(&win);
  }
}

/// Messages to itself, each with a tag and a length of its own.
static void signatures(int times) {
  static char out[2000], in[2000];
  MPI_Request request;
  int i;
  const long before = resident();
  for (i = 0; i < times; ++i) {
    MPI_Irecv(in, i % 1999, MPI_BYTE, me, i % 30011, MPI_COMM_WORLD, &request);
    MPI_Send(out, i % 1999, MPI_BYTE, me, i % 30011, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (me == 0) printf("grown by %ld KiB\n", resident() - before);
}

/// Datatypes made anew for each message.
static void layouts(int times) {
  static int out[4000], in[4000];
  MPI_Datatype type;
  int i;
  const long before = resident();
  for (i = 0; i < times; ++i) {
    MPI_Type_vector(1 + i % 50, 1, 2 + i % 61, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(out, 1, type, me, 0, in, 1, type, me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
  if (me == 0) printf("grown by %ld KiB\n", resident() - before);
}

static void long_run(int times) {
  long before = 0;
  int i;
  for (i = 0; i < times; ++i) {
    if (i == times / 10) before = resident();
    ring(MPI_COMM_WORLD, i % 3, 10);
    if (i % 10 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  if (me == 0) printf("grown by %ld KiB\n", resident() - before);
}

// --- Wrappers of its own
// ---------------------------------------------------------------------------

#ifdef OWN_WRAPPERS
static int wrapped;
int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  ++wrapped;
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
#endif

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "rings";
  const int times = argc > 2 ? atoi(argv[2]) : 100;
  int provided;
  if (strcmp(what, "session") == 0) {
    in_session(times);
    return 0;
  }
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(what, "rings") == 0)
    rings(times);
  else if (strcmp(what, "stuck") == 0)
    stuck();
  else if (strcmp(what, "handle") == 0)
    by_handle(times);
  else if (strcmp(what, "refused") == 0)
    refused();
  else if (strcmp(what, "truncated") == 0)
    truncated();
  else if (strcmp(what, "arrays") == 0)
    arrays();
  else if (strcmp(what, "both") == 0)
    both_ways();
  else if (strcmp(what, "spawns") == 0)
    spawns(argv[0], argv[2]);
  else if (strcmp(what, "spawned") == 0)
    spawned();
  else if (strcmp(what, "wildcards") == 0)
    wildcards();
  else if (strcmp(what, "lopsided") == 0)
    lopsided(times);
  else if (strcmp(what, "chain") == 0)
    chain(times);
  else if (strcmp(what, "threads") == 0)
    with_threads();
  else if (strcmp(what, "handed") == 0)
    handed_over();
  else if (strcmp(what, "handlers") == 0)
    own_handlers();
  else if (strcmp(what, "children") == 0)
    children();
  else if (strcmp(what, "files") == 0)
    files();
  else if (strcmp(what, "communicators") == 0)
    communicators(times);
  else if (strcmp(what, "windows") == 0)
    windows(times);
  else if (strcmp(what, "signatures") == 0)
    signatures(times);
  else if (strcmp(what, "layouts") == 0)
    layouts(times);
  else if (strcmp(what, "long") == 0)
    long_run(times);
  else
    end_by(what);
#ifdef OWN_WRAPPERS
  CHECK(wrapped == times);
#endif
  if (me == 0) printf("%s: done\n", what);
  MPI_Finalize();
  return 0;
}
