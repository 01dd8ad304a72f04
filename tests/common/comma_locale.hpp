#pragma once
// A program whose numbers have a comma, and points between thousands: as Germany writes them.

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>

/// While it lives, of C++'s streams, and of C's functions if `localedef` is there to compile it.
class CommaLocale {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

 public:
  CommaLocale()
      : of_c_(std::setlocale(LC_ALL, nullptr)),
        of_cpp_(std::locale::global(std::locale(std::locale(), new Comma))) {
    std::string folder = (std::filesystem::temp_directory_path() / "halocline_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return;
    std::ofstream(folder + "/source") << "LC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n"
                                         "LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \".\"\n"
                                         "grouping 3;3\nEND LC_NUMERIC\n";
    // It fails where categories are missing, which `-c` compiles all the same.
    const std::string compile =
        "localedef -c -i '" + folder + "/source' -f UTF-8 '" + folder + "/comma' > /dev/null 2>&1";
    static_cast<void>(std::system(compile.c_str()) == 0);
    setenv("LOCPATH", folder.c_str(), 1);
    in_c_ = std::setlocale(LC_ALL, "comma") != nullptr;
    unsetenv("LOCPATH");
    std::filesystem::remove_all(folder);
  }
  ~CommaLocale() {
    std::locale::global(of_cpp_);
    std::setlocale(LC_ALL, of_c_.c_str());
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  /// Why it is of C++'s streams alone; empty if it is not.
  std::string why_not_in_c() const {
    return in_c_ ? ""
                 : "C's functions have no comma, for there is no localedef, or none of its files "
                   "(locales)";
  }
  /// Whether it is still as it was made.
  bool is_left_alone() const {
    return std::use_facet<std::numpunct<char>>(std::locale()).decimal_point() == ',' &&
           (!in_c_ || std::string(std::setlocale(LC_ALL, nullptr)) == "comma");
  }

 private:
  std::string of_c_;
  std::locale of_cpp_;
  bool in_c_ = false;
};
