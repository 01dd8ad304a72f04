// The doctor's memory, which `auto` looks into.

#include "fuzz.hpp"

#include "tuner/choices.hpp"

#include <filesystem>

namespace {

using namespace halocline;

void read(std::string_view text) {
  const std::filesystem::path file = fuzz::file_of(text, ".json"),
                              memory = file.parent_path() / "doctor.json";
  std::filesystem::rename(file, memory);
  setenv("HALOCLINE_CACHE", file.parent_path().c_str(), 1);
  Surroundings here;
  here.host = "A, 2 CPUs";
  here.mpi = "MPICH Version: 5";
  here.build = "b";
  const detail::Soundness found = detail::doctors_word(here);
  std::filesystem::remove(memory);
  // It is never refused: what is no memory says nothing.
  if (found.objection(Scheme("rma:get:lock")).starts_with("the doctor found")) return;
  throw Error("it says nothing");
}

const fuzz::Target target("doctor", read);

}  // namespace
