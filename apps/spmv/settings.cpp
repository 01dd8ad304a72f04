#include "settings.hpp"

#include "generate.hpp"

#include <algorithm>

namespace spmv {

using namespace halocline;
using frame::Value;

namespace {

constexpr std::initializer_list<std::pair<const char*, Layout>> layouts{
    {"auto", Layout::automatic},
    {"crs", Layout::crs},
    {"sell", Layout::sell},
    {"symmetric", Layout::symmetric}};
constexpr std::initializer_list<std::pair<const char*, Mode>> modes{
    {"vector", Mode::vector}, {"naive", Mode::naive}, {"task", Mode::task}};
constexpr std::initializer_list<std::pair<const char*, Parts>> ways_to_part{
    {"rows", Parts::rows},
    {"entries", Parts::entries},
    {"metis", Parts::metis},
    {"curve", Parts::curve}};
constexpr std::initializer_list<std::pair<const char*, Method>> methods{
    {"cg", Method::cg}, {"pipelined-cg", Method::pipelined_cg}};
constexpr std::initializer_list<std::pair<const char*, Preconditioner>> preconditioners{
    {"none", Preconditioner::none},
    {"jacobi", Preconditioner::jacobi},
    {"sgs", Preconditioner::sgs}};

template <class Choices, class Choice>
const char* name_in(const Choices& choices, Choice choice) {
  return std::ranges::find(choices, choice, [](const auto& one) { return one.second; })->first;
}

}  // namespace

void Settings::declare(frame::CommandLine& line) {
  line.words(files);
  line.section("Problem");
  line.option("--generate M", generators_help, generate);
  line.option("--x F.npy", "the vector (ones)", x);
  line.option("--products N", "products that a repetition takes (10)", [this](const Value& value) {
    products = static_cast<int>(value.integer(1, 1'000'000'000));
  });
  line.option("--power K",
              "A^K x instead, with one exchange, and the matrix from memory as seldom as caches "
              "allow",
              [this](const Value& value) { power = static_cast<int>(value.integer(1, 1000)); });
  line.option("--solve S",
              "A x = b instead: cg, conjugate gradients; pipelined-cg, whose sums are under way "
              "during the product",
              [this](const Value& value) { solve = value.choose(methods); });
  line.option("--rhs F.npy", "b (A times ones)", right_side);
  line.option("--preconditioner P",
              "none, jacobi, or sgs: symmetric Gauss-Seidel, colour by colour (none)",
              [this](const Value& value) { preconditioner = value.choose(preconditioners); });
  line.option("--tolerance T", "until |b - A x| / |b| is at most T (1e-8)",
              [this](const Value& value) {
                tolerance = value.real("a number above 0", [](double t) { return t > 0; });
              });
  line.option("--max-iterations N", "or for N iterations (10000)", [this](const Value& value) {
    most = static_cast<int>(value.integer(0, 1'000'000'000));
  });

  line.section("Method");
  line.option("--reorder R",
              "none, or rcm: number rows and columns by reverse Cuthill-McKee (none)",
              [this](const Value& value) {
                reorder = value.choose<bool>({{"none", false}, {"rcm", true}});
              });
  line.option("--partition P",
              "which rows a rank has: rows, as many as others; entries, so many that it has as "
              "much to do; or as much to do and little that others need: metis, or curve (entries)",
              [this](const Value& value) { parts = value.choose(ways_to_part); });
  line.option(
      "--format F",
      "how rows lie in memory: crs; sell, eight side by side, their columns in as few bytes "
      "as they allow; symmetric, of that the upper half; auto, the faster of crs and sell "
      "(auto)",
      [this](const Value& value) { plan.layout = value.choose(layouts); });
  line.option("--sigma N",
              "sell sorts rows by length within every N of them; 1: not at all (what is fastest)",
              [this](const Value& value) { plan.sigma = value.integer(1, 1 << 30); });
  line.option("--mode M",
              "vector: exchange x, then multiply; naive: multiply meanwhile what needs nothing of "
              "other ranks; task: one thread exchanges while the others multiply that (vector)",
              [this](const Value& value) { plan.mode = value.choose(modes); });
  line.flag("--device", "x, y and the matrix are on a device", plan.device);
  line.option("--threads T", "threads of a rank (1)", [this](const Value& value) {
    plan.threads = static_cast<int>(value.integer(1, 4096));
  });
  line.section(frame::results);
  line.flag("--check", "compare y with a plain product, bit by bit", check);
  line.flag("--bandwidth",
            "measure, in turns with repetitions, what memory gives a triad, and who reads the same",
            bandwidth);
}

void Settings::settle() const {
  if (files.size() > 1) throw Error(files[1] + ": one file is enough, of the matrix");
  if (files.empty() == generate.empty())
    throw Error("name either the file of a matrix, or by --generate one to be generated");
  frame::only_with(plan.sigma == 0 || plan.layout == Layout::sell, "--sigma", "--format sell");
  if (plan.mode == Mode::task && plan.threads < 2)
    throw Error("--mode task: needs --threads 2 or more, one of which exchanges");
  frame::only_with(!power || !solve, "--power", "products, without --solve");
  frame::only_with(!plan.style || plan.mode == Mode::vector, "--mode",
                   "no --style, which says the same in other words");
  frame::only_with(!power || !plan.style, "--style", "single products, without --power");
  frame::only_with(!power || plan.mode == Mode::vector, "--mode",
                   "single products, without --power");
  frame::only_with(!power || plan.sigma == 0, "--sigma", "single products, without --power");
  const bool symmetric = plan.layout == Layout::symmetric;
  frame::only_with(!power || !symmetric, "--format symmetric", "single products, without --power");
  frame::only_with(!plan.device || !symmetric, "--format symmetric",
                   "products on the host, without --device");
  frame::only_with(!power || !bandwidth, "--bandwidth", "single products, without --power");
  if (plan.device) {
    frame::only_with(!power && !solve, "--device", "products, without --power and --solve");
    frame::only_with(plan.threads == 1, "--threads", "products on the host, without --device");
    frame::only_with(plan.mode != Mode::task, "--mode task",
                     "products on the host, without --device");
    frame::only_with(!plan.style, "--style", "products on the host, without --device");
  }
  constexpr const char* solving = "--solve";
  frame::only_with(solve || right_side.empty(), "--rhs", solving);
  frame::only_with(solve || !preconditioner, "--preconditioner", solving);
  frame::only_with(solve || !tolerance, "--tolerance", solving);
  frame::only_with(solve || !most, "--max-iterations", solving);
  constexpr const char* multiplying = "products, without --solve";
  frame::only_with(!solve || x.empty(), "--x", multiplying);
  frame::only_with(!solve || !products, "--products", multiplying);
  frame::only_with(!solve || !check, "--check", multiplying);
  frame::only_with(!solve || !bandwidth, "--bandwidth", multiplying);
}

Task Settings::task() const {
  const Task usual;
  return {*solve, preconditioner.value_or(usual.preconditioner),
          tolerance.value_or(usual.tolerance), most.value_or(usual.most)};
}

const char* name_of(Method method) {
  return name_in(methods, method);
}

const char* name_of(Preconditioner preconditioner) {
  return name_in(preconditioners, preconditioner);
}

const char* name_of(Layout layout) {
  return name_in(layouts, layout);
}

const char* name_of(Parts parts) {
  return name_in(ways_to_part, parts);
}

const char* name_of(Mode mode) {
  return name_in(modes, mode);
}

}  // namespace spmv
