// Arenas: memory of a scheme, of which each rank makes arrays when it likes.

#include "communicator.hpp"
#include "grids.hpp"
#include "shapes.hpp"
#include "views.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <optional>

namespace halocline::python {

namespace {

using KeptArena = Kept<Arena>;

int get_piece(PyObject* object, Py_buffer* view, int flags) {
  const ArenaPiece& piece = nb::cast<ArenaPiece&>(nb::handle(object));
  return fill_buffer(object, piece.begin, piece.bytes, view, flags);
}

PyType_Slot piece_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_piece)}, {0, nullptr}};

nb::object empty(const std::shared_ptr<KeptArena>& arena, nb::handle shape, nb::handle type) {
  const nb::object dtype = dtype_of(type);
  const Extents extents = extents_of(shape);
  const std::size_t bytes = element_bytes(dtype) * count_of(extents);
  return numpy("ndarray")(tuple_of(extents), dtype, std::make_shared<ArenaPiece>(arena, bytes));
}

}  // namespace

ArenaPiece::ArenaPiece(std::shared_ptr<Kept<Arena>> of, std::size_t size)
    : arena(std::move(of)), begin((*arena)->allocate(size)), bytes(size) {}
ArenaPiece::~ArenaPiece() {
  if (*arena) (*arena)->deallocate(begin);
}

void bind_arenas(nb::module_& module) {
  nb::class_<ArenaPiece>(module, "ArenaPiece", nb::type_slots(piece_slots),
                         "The bytes of an array in an Arena, as a buffer.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
  nb::class_<KeptArena>(
      module, "Arena",
      "A fixed number of bytes in the memory of a scheme, of which this rank makes arrays.\n\n"
      "Arena(bytes, scheme='p2p:nonblocking', comm=None)\n\n"
      "Each rank may ask for another number. Only to make the arena is collective: a rank makes "
      "and\nforgets arrays in it when it likes. Raises Error, on all ranks, if there is not enough "
      "memory.\n\n"
      ">>> import halocline as hc\n"
      ">>> arena = hc.Arena(1 << 20, scheme='shm:signal')\n"
      ">>> x = arena.zeros((100, 3), 'f4')\n"
      ">>> x.shape, float(x.sum())\n"
      "((100, 3), 0.0)")
      .def(nb::new_([](Argument<std::size_t> bytes, Argument<std::string> scheme, nb::object comm) {
             expect_mpi();
             const MPI_Comm ranks = communicator(comm).comm;
             std::optional<Scheme> wanted;
             return std::make_shared<KeptArena>(made_together(
                 ranks,
                 [&] {
                   wanted = scheme_of(scheme);
                   return taken<std::size_t>(bytes, "bytes");
                 },
                 [&](std::size_t size) {
                   const Waits others;
                   return std::make_shared<Arena>(ranks, size, *wanted);
                 }));
           }),
           nb::arg("bytes").none(), nb::arg("scheme").none() = "p2p:nonblocking",
           nb::arg("comm") = nb::none())
      .def("empty", &empty,
           nb::sig("def empty(self, shape: int | collections.abc.Sequence[int], dtype: "
                   "numpy.typing.DTypeLike = 'f8') -> numpy.ndarray"),
           nb::arg("shape"), nb::arg("dtype") = "f8",
           "A numpy array in the arena, for a caller that overwrites all of it. Local. Raises "
           "Error if there is\nno room for it in one piece.\n\n"
           ">>> import halocline as hc\n"
           ">>> hc.Arena(4096).empty(8).shape\n"
           "(8,)")
      .def(
          "zeros",
          [](const std::shared_ptr<KeptArena>& arena, nb::handle shape, nb::handle type) {
            nb::object array = empty(arena, shape, type);
            array.attr("fill")(0);
            return array;
          },
          nb::sig("def zeros(self, shape: int | collections.abc.Sequence[int], dtype: "
                  "numpy.typing.DTypeLike = 'f8') -> numpy.ndarray"),
          nb::arg("shape"), nb::arg("dtype") = "f8",
          "The same, of zeros.\n\n"
          ">>> import halocline as hc\n"
          ">>> hc.Arena(4096).zeros(2).tolist()\n"
          "[0.0, 0.0]")
      .def_prop_ro(
          "bytes_free", [](const KeptArena& arena) { return arena->bytes_free(); },
          "In all pieces together.")
      .def_prop_ro(
          "kind", [](const KeptArena& arena) { return to_string(arena->memory().kind()); },
          "Who can reach its memory: 'plain', 'window', 'shared' or 'device'.")
      .def_prop_ro(
          "note", [](const KeptArena& arena) { return arena->memory().note(); },
          "Why it is not the kind that the scheme likes best; else empty.")
      .def("__reduce_ex__", &refuse_pickling, nb::arg("protocol"));
}

}  // namespace halocline::python
