// What no public header declares is not to be linked with.
namespace halocline::base {
double processor_quota();
}
int main() {
  return halocline::base::processor_quota() > 0 ? 0 : 1;
}
