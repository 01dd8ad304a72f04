#include "ending.hpp"

#include "machine.hpp"
#include "writing.hpp"

#include <preload/behind.hpp>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace recorder {

namespace {

pid_t recorded_process = 0;

constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP,  SIGQUIT, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS,
                            SIGFPE,  SIGILL, SIGUSR1, SIGUSR2, SIGALRM, SIGSYS,  SIGTRAP};
struct sigaction old_actions[NSIG];

bool is_fault(int signal) {
  return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL ||
         signal == SIGTRAP;
}

void on_signal(int signal, siginfo_t* info, void*) {
  char how[24] = "signal ";
  char* at = how + 7;
  if (signal >= 10) *at++ = static_cast<char>('0' + signal / 10);
  *at++ = static_cast<char>('0' + signal % 10);
  *at = 0;
  bool first = recording != nullptr;
  end_recording(how, true);
  // Launchers end the others as soon as one has ended.
  if (first && getpid() == recorded_process) have_others_write();
  sigaction(signal, &old_actions[signal], nullptr);
  // What the processor found happens again by itself, and then as if nobody had looked.
  if (!is_fault(signal) || !info || info->si_code <= 0) raise(signal);
}

// Handlers of the run-time system that say something and end the process.
bool ends_process(const struct sigaction& action) {
  void* handler = action.sa_flags & SA_SIGINFO ? reinterpret_cast<void*>(action.sa_sigaction)
                                               : reinterpret_cast<void*>(action.sa_handler);
  Dl_info info;
  if (!dladdr(handler, &info) || !info.dli_fname) return false;
  const char* name = std::strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  for (const char* known :
       {"libucs", "libgfortran", "libopen-pal", "libopen-rte", "libmpi", "libifcore", "libpmix"}) {
    if (std::strncmp(name, known, std::strlen(known)) == 0) return true;
  }
  return false;
}

}  // namespace

void end_recording(const char* how, bool in_signal) {
  if (getpid() != recorded_process) return;
  Recording* run = __atomic_exchange_n(&recording, nullptr, __ATOMIC_ACQ_REL);
  if (!run) return;
  if (run->end == 0) run->end = now();
  calibrate_clock();
  if (!in_signal) {
    ++depth;
    for (Thread* thread : run->threads) {
      if (!thread) continue;
      if (thread->episode->lingering()) thread->episode->close();
      thread->sequence->end();
    }
  }
  write_file(*run, how, in_signal);
  if (!in_signal) --depth;
}

void watch_for_end() {
  recorded_process = getpid();
  at_quick_exit([] { end_recording("exited", false); });
  // A stack that is full cannot run a handler.
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE)) {
    stack.ss_size = 1 << 17;
    stack.ss_sp = reserve(stack.ss_size);
    stack.ss_flags = 0;
    if (stack.ss_sp) sigaltstack(&stack, nullptr);
  }
  for (int signal : kSignals) {
    struct sigaction& old = old_actions[signal];
    if (sigaction(signal, nullptr, &old) != 0) continue;
    bool by_default = !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL;
    bool ignored = !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_IGN;
    if (ignored || (!by_default && !(is_fault(signal) || signal == SIGABRT)) ||
        (!by_default && !ends_process(old)))
      continue;
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

namespace {

// A program that has used MPI past this library leaves nothing: then that is said.
void leave() {
  end_recording("exited", false);
  static bool said = false;
  if (said || seen_mpi || !preload::has_used_mpi()) return;
  said = true;
  preload::say(
      "the program has called MPI past what was put in front of it: nothing of it is recorded");
}

__attribute__((destructor)) void at_exit() {
  leave();
}

}  // namespace

}  // namespace recorder

// A process that leaves without its destructors.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  recorder::leave();
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" __attribute__((visibility("default"), noreturn)) void _Exit(int status) noexcept {
  recorder::leave();
  for (;;) syscall(SYS_exit_group, status);
}
