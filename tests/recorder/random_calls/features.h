#pragma once
// What this MPI has and does right, as far as random calls know.

#include <mpi.h>

// Debian's MPICH 4.0 mixes up data in what is new in MPI 4, and in Neighbor_alltoallw.
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
#define OLD_MPICH 1
#else
#define OLD_MPICH 0
#endif

#define HAS_ALLTOALLW !OLD_MPICH
#if defined OPEN_MPI
// Its header says MPI 3.1; the lasting collectives of MPI 4 came with Open MPI 5, and there
// receives of partitioned messages complete too early or never. Open MPI 4 has no Isendrecv either.
#define HAS_LASTING_COLLECTIVES (OMPI_MAJOR_VERSION >= 5)
#define HAS_ISENDRECV (OMPI_MAJOR_VERSION >= 5)
#define HAS_PARTITIONED 0
// Open MPI 4 ends by a segmentation fault in the one, and sometimes waits for ever in the other.
#define HAS_COMPARE_AND_SWAP (OMPI_MAJOR_VERSION >= 5)
#define HAS_FLUSH_LOCAL (OMPI_MAJOR_VERSION >= 5)
#else
#define HAS_LASTING_COLLECTIVES (MPI_VERSION >= 4 && !OLD_MPICH)
#define HAS_ISENDRECV (MPI_VERSION >= 4 && !OLD_MPICH)
#define HAS_PARTITIONED (MPI_VERSION >= 4 && !OLD_MPICH)
#define HAS_COMPARE_AND_SWAP 1
#define HAS_FLUSH_LOCAL 1
#endif
