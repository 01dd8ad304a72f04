// What no public header declares is not to be linked with.
namespace halocline::base {
double processor_quota();
}
namespace halocline::detail {
void registry();
}
int main() {
  halocline::detail::registry();
  return halocline::base::processor_quota() > 0 ? 0 : 1;
}
