// Sections: a part of the program's own step, which says by its time which schemes are the fastest.

#include "converted.hpp"

using namespace halocline;
using c::call, c::create_on, c::give, c::in;

namespace {

halocline_lap_times times_of(const Section::Times& times) {
  return {times.value, times.low, times.high, times.confidence};
}

template <class Entry>
const Entry& entry(const std::vector<Entry>& all, int number, const char* name) {
  if (number < 0 || static_cast<std::size_t>(number) >= all.size())
    throw c::ArgumentError(std::string(name) + " is " + std::to_string(number) + ", of " +
                           std::to_string(all.size()) +
                           "; halocline_section_findings asks anew how many there are");
  return all[static_cast<std::size_t>(number)];
}

}  // namespace

int halocline_section_create(halocline_comm comm, halocline_exchange* const* exchanges, int count,
                             halocline_section** section) {
  return create_on(
      __func__, c::comm_of(comm), section, "section",
      [&] {
        std::vector<Exchange*> all;
        for (halocline_exchange* const one :
             c::list<halocline_exchange*>(exchanges, c::size(count, "count"), "exchanges"))
          all.push_back(&in(one, "exchange"));
        return all;
      },
      [&](const std::vector<Exchange*>& all) { return Section(c::comm_of(comm), all); });
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
int halocline_section_findings(halocline_section* section, halocline_findings* findings) {
  return give(__func__, findings, "findings", [&] {
    Section::Findings& all = c::at(section, "section").findings;
    all = section->it.findings();
    return halocline_findings{all.laps,
                              all.seconds,
                              all.cost,
                              all.preparing,
                              all.decided ? 1 : 0,
                              all.contests,
                              static_cast<int>(all.chosen.size())};
  });
}
int halocline_section_chosen(const halocline_section* section, int number,
                             halocline_chosen* chosen) {
  return give(__func__, chosen, "chosen", [&] {
    const Section::Chosen& one = entry(c::at(section, "section").findings.chosen, number, "number");
    return halocline_chosen{one.what.c_str(), one.yardstick.c_str(), times_of(one.times),
                            one.matters ? 1 : 0, static_cast<int>(one.tried.size())};
  });
}
int halocline_section_tried(const halocline_section* section, int number, int other,
                            halocline_tried* tried) {
  return give(__func__, tried, "tried", [&] {
    const Section::Chosen& one = entry(c::at(section, "section").findings.chosen, number, "number");
    const Section::Tried& there = entry(one.tried, other, "other");
    return halocline_tried{there.what.c_str(), there.laps, times_of(there.times),
                           there.why.c_str()};
  });
}
