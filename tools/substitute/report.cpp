#include "report.hpp"

#include <mpi.h>

#include <cstdio>
#include <mutex>
#include <vector>

namespace substitute {

namespace {

std::mutex reporting;
std::vector<std::shared_ptr<Entry>>& entries() {
  static auto* const all = new std::vector<std::shared_ptr<Entry>>;
  return *all;
}

std::string quoted(const std::string& text) {
  std::string words = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') words += '\\';
    words += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  }
  return words + '"';
}

std::string why_of(const Entry& entry) {
  if (entry.why == Why::none) return "";
  std::string words = words_of(entry.why);
  return entry.detail.empty() ? words : words + ": " + entry.detail;
}

std::string line_of(const Entry& entry) {
  return "{\"pattern\": " + quoted(entry.what) + ", \"kind\": " + quoted(name_of(entry.kind)) +
         ", \"steps\": " + std::to_string(entry.steps) +
         ", \"taken_at\": " + std::to_string(entry.taken_at) +
         ", \"carried\": " + std::to_string(entry.carried) +
         ", \"back_at\": " + std::to_string(entry.back_at) +
         ", \"scheme\": " + quoted(entry.scheme) + ", \"why\": " + quoted(why_of(entry)) + "}\n";
}

std::string sentence_of(const Entry& entry) {
  std::string words = "halocline-substitute: " + entry.what + ": ";
  if (entry.taken_at == 0)
    words += "left as it is: " + why_of(entry);
  else
    words += "by " + entry.scheme + " from step " + std::to_string(entry.taken_at) + " on (" +
             std::to_string(entry.carried) + " of " + std::to_string(entry.steps) + " steps)";
  if (entry.taken_at != 0 && entry.back_at != 0)
    words += "; handed back at step " + std::to_string(entry.back_at) + ": " + why_of(entry);
  return words + "\n";
}

/// The texts of all ranks, in their order, on rank 0.
std::string gathered(const std::string& mine) {
  int rank = 0, ranks = 0, bytes = static_cast<int>(mine.size());
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<int> all(static_cast<std::size_t>(rank == 0 ? ranks : 0)), begins(all.size());
  MPI_Gather(&bytes, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  int sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) begins[i] = sum, sum += all[i];
  std::string text(static_cast<std::size_t>(sum), ' ');
  MPI_Gatherv(mine.data(), bytes, MPI_CHAR, text.data(), all.data(), begins.data(), MPI_CHAR, 0,
              MPI_COMM_WORLD);
  return text;
}

}  // namespace

const char* words_of(Why why) {
  switch (why) {
    case Why::none: return "";
    case Why::not_repeated: return "not repeated alike on all ranks";
    case Why::other_arguments: return "other arguments than agreed on";
    case Why::other_operations: return "other operations than agreed on";
    case Why::other_thread: return "called by another thread";
    case Why::freed_type: return "a datatype was freed";
    case Why::on_device: return "memory may be a device's";
    case Why::not_carried: return "not to be carried so";
    case Why::bytes_differ: return "bytes differed";
    case Why::left_to_mpi: return "MPI alone knows the order of such messages";
  }
  return "";
}

std::shared_ptr<Entry> reported(Kind kind, std::string what, bool speaks) {
  auto entry = std::make_shared<Entry>();
  entry->kind = kind;
  entry->what = std::move(what);
  entry->speaks = speaks;
  const std::lock_guard lock(reporting);
  entries().push_back(entry);
  return entry;
}

void write_report() {
  const Settings& settings = Settings::get();
  const bool to_file = !settings.report.empty();
  std::string mine;
  {
    const std::lock_guard lock(reporting);
    for (const auto& entry : entries())
      if (entry->speaks) mine += to_file ? line_of(*entry) : sentence_of(*entry);
  }
  const std::string all = gathered(mine);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 || (settings.report_given && !to_file)) return;
  if (!to_file) {
    std::fputs(all.c_str(), stderr);
    return;
  }
  std::FILE* const file = std::fopen(settings.report.c_str(), "w");
  if (file == nullptr || std::fputs("{\"substitute\": 1}\n", file) < 0 ||
      std::fputs(all.c_str(), file) < 0 || std::fclose(file) != 0)
    std::fprintf(stderr, "halocline-substitute: cannot write %s\n", settings.report.c_str());
}

}  // namespace substitute
