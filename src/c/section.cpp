// Sections: a part of the program's own step, which says by its time which schemes are the fastest.

#include "converted.hpp"

using namespace halocline;
using c::call, c::create, c::give, c::in;

int halocline_section_create(halocline_comm comm, halocline_exchange* const* exchanges, int count,
                             halocline_section** section) {
  return create(__func__, section, "section", [&] {
    std::vector<Exchange*> all;
    for (halocline_exchange* const one :
         c::list<halocline_exchange*>(exchanges, c::size(count, "count"), "exchanges"))
      all.push_back(&in(one, "exchange"));
    return Section(c::comm_of(comm), all);
  });
}
int halocline_section_free(halocline_section** section) {
  return c::end(section);
}

int halocline_section_begin(halocline_section* section) {
  return call(__func__, [&] { in(section, "section").begin(); });
}
int halocline_section_end(halocline_section* section, double work) {
  return call(__func__, [&] { in(section, "section").end(work); });
}
int halocline_section_choice(halocline_section* section, const char* name, const int* values,
                             int count, int* value) {
  return give(__func__, value, "value", [&] {
    return in(section, "section")
        .choice(&c::at(name, "name"), c::list<int>(values, c::size(count, "count"), "values"));
  });
}

int halocline_section_decided(const halocline_section* section, int* decided) {
  return give(__func__, decided, "decided", [&] { return in(section, "section").decided(); });
}
int halocline_section_laps(const halocline_section* section, int64_t* laps) {
  return give(__func__, laps, "laps", [&] { return in(section, "section").laps(); });
}
int halocline_section_report(halocline_section* section, const char** text) {
  return give(__func__, text, "text", [&] {
    section->report = in(section, "section").report();
    return section->report.c_str();
  });
}
