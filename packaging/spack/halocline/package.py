"""Spack's recipe: put this folder into `packages/` of a repository (`spack repo create`)."""

from spack.package import *


class Halocline(CMakePackage):
    """Halo exchanges of MPI programs: described once, carried out by any scheme at run time."""

    homepage = "https://halocline.example.org"
    git = "https://halocline.example.org/halocline.git"
    license("BSD-3-Clause")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("shared", default=True, description="Shared libraries beside the static ones")
    variant("programs", default=True, description="The programs and tools")
    variant("hwloc", default=True, description="Where cores and memory lie")
    variant("metis", default=False, description="Partitions of graphs")
    variant("hdf5", default=False, when="+programs", description="Results in HDF5")
    variant("blas", default=True, when="+programs", description="The matrix product by BLAS")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3.1:")
    depends_on("nlohmann-json")
    depends_on("cli11", when="+programs")
    depends_on("hwloc", when="+hwloc")
    depends_on("metis", when="+metis")
    depends_on("hdf5~mpi", when="+hdf5")
    depends_on("openblas", when="+blas")

    conflicts("%gcc@:10", msg="C++20 needs GCC 11")
    conflicts("%clang@:12", msg="C++20 needs Clang 13")

    def cmake_args(self):
        return [
            self.define("HALOCLINE_TESTS", False),
            self.define("HALOCLINE_NATIVE", False),  # Spack's compiler wrapper names the target
            self.define("MPI_CXX_COMPILER", self.spec["mpi"].mpicxx),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HALOCLINE_PROGRAMS", "programs"),
        ]

    def test_smoke(self):
        """What is installed compiles a project that exchanges on one and two ranks."""
        smoke = join_path(self.prefix.share, "halocline", "smoke")
        with working_dir("smoke", create=True):
            cmake = self.spec["cmake"].command
            cmake(f"-DCMAKE_PREFIX_PATH={self.prefix}", smoke)
            cmake("--build", ".")
            which("ctest", required=True)("--output-on-failure")
