#include "executable.hpp"

#include "names.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace preload {

namespace {

// A file in memory, to be read.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about {};
    if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0) {
      void* memory =
          mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED)
        bytes_ = {static_cast<const char*>(memory), static_cast<std::size_t>(about.st_size)};
    }
    close(file);
  }
  ~Mapped() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

bool is_program(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::string linker_of(std::string_view bytes) {
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  // A damaged file may point anywhere: nothing is added that could overflow.
  const auto inside = [&](std::size_t place, std::size_t size) {
    return place <= bytes.size() && size <= bytes.size() - place;
  };
  if (!inside(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr))) return {};
  for (int at = 0; at < header.e_phnum; ++at) {
    Elf64_Phdr part;
    std::memcpy(&part, bytes.data() + header.e_phoff + static_cast<std::size_t>(at) * sizeof(part),
                sizeof(part));
    if (part.p_type == PT_INTERP && inside(part.p_offset, part.p_filesz))
      return std::string(bytes.substr(part.p_offset, part.p_filesz)).c_str();
  }
  return {};
}

// What the linker says when it is asked for the libraries of a program.
std::string listed(const std::string& linker, const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    close(ends[0]);
    unsetenv("LD_PRELOAD");
    execl(linker.c_str(), linker.c_str(), "--list", path.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string words;
  char part[4096];
  for (ssize_t size; (size = read(ends[0], part, sizeof(part))) != 0;) {
    if (size > 0) words.append(part, static_cast<std::size_t>(size));
    if (size < 0 && errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return words;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (access(name.c_str(), F_OK) != 0) throw Refusal{"there is no " + name, 127};
    if (!is_program(name)) throw Refusal{name + " is not a program that can be run", 126};
    return name;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::string file = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(file)) return file;
  }
  throw Refusal{"there is no program " + name + " in PATH", 127};
}

Executable look_at(const std::string& path) {
  Mapped file(path);
  std::string_view bytes = file.bytes();
  Executable what;
  if (bytes.starts_with("#!")) {
    what.kind = Kind::kScript;
    std::istringstream line(std::string(bytes.substr(2, bytes.find('\n') - 2)));
    line >> what.interpreter;
    // `#!/usr/bin/env python3` names the interpreter second.
    if (what.interpreter.ends_with("/env")) {
      std::string next;
      while (line >> next && (next.starts_with('-') || next.find('=') != std::string::npos)) {
      }
      if (!next.empty()) what.interpreter = next;
    }
  } else if (bytes.size() > sizeof(Elf64_Ehdr) &&
             bytes.starts_with(std::string_view(ELFMAG, SELFMAG)) &&
             bytes[EI_CLASS] == ELFCLASS64) {
    what.linker = linker_of(bytes);
    what.kind = what.linker.empty() ? Kind::kStatic : Kind::kDynamic;
  }
  return what;
}

Libraries libraries_of(const std::string& path, const Executable& what) {
  Libraries found;
  std::istringstream lines(listed(what.linker, path));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, place;
    words >> name >> arrow >> place;
    if (!is_mpi(name)) {
      if (arrow == "=>" && !is_of_mpi(name) && is_tool(place)) found.tools.push_back(place);
      continue;
    }
    if (arrow == "=>" && place == "not") {
      throw Refusal{path + " needs " + name +
                    ", which is not found: is its MPI's folder in LD_LIBRARY_PATH?"};
    }
    found.mpi.push_back(arrow == "=>" ? place : name);
  }
  return found;
}

bool is_tool(const std::string& path) {
  Mapped file(path);
  const std::string_view bytes = file.bytes();
  Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || !bytes.starts_with(std::string_view(ELFMAG, SELFMAG)) ||
      bytes[EI_CLASS] != ELFCLASS64)
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const auto inside = [&](std::size_t place, std::size_t size) {
    return place <= bytes.size() && size <= bytes.size() - place;
  };
  const auto section = [&](std::size_t number) {
    Elf64_Shdr found{};
    const std::size_t place = header.e_shoff + number * sizeof(found);
    if (number < header.e_shnum && inside(place, sizeof(found)))
      std::memcpy(&found, bytes.data() + place, sizeof(found));
    return found;
  };
  bool defines = false, calls = false;
  for (std::size_t number = 0; number < header.e_shnum; ++number) {
    const Elf64_Shdr symbols = section(number);
    if (symbols.sh_type != SHT_DYNSYM || !inside(symbols.sh_offset, symbols.sh_size)) continue;
    const Elf64_Shdr names = section(symbols.sh_link);
    if (!inside(names.sh_offset, names.sh_size)) return false;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + symbols.sh_offset + at, sizeof(symbol));
      if (symbol.st_name >= names.sh_size) continue;
      const std::string_view rest = bytes.substr(names.sh_offset + symbol.st_name);
      const bool here = symbol.st_shndx != SHN_UNDEF;
      if (here && rest.starts_with(std::string_view("PMPI_Init\0", 10))) return false;  // an MPI
      defines = defines || (here && rest.starts_with("MPI_"));
      calls = calls || (!here && rest.starts_with("PMPI_"));
    }
  }
  return defines && calls;
}

bool file_contains(const std::string& path, std::string_view words) {
  Mapped file(path);
  return !file.bytes().empty() &&
         memmem(file.bytes().data(), file.bytes().size(), words.data(), words.size()) != nullptr;
}

}  // namespace preload
