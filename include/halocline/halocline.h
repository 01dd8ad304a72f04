#pragma once
// Halocline for C, in C99: the words, the schemes, the bytes and the errors of the C++ interface.
//
// A C++ name halocline::Grid::halo is halocline_grid_halo here, a C++ constructor is ..._create.
// - Every function returns HALOCLINE_SUCCESS, or else the kind of an error, of which
//   halocline_last_error() has the text. What it gives is written to its last arguments: nothing
//   if it fails, but handles are NULL then.
// - Objects are handles. Whoever has been given one through a `halocline_x**` ends it by
//   halocline_x_free, which sets it to NULL; to free NULL does nothing. Objects keep what they
//   need: a grid may be freed before the pattern that it gave, and a pattern before the exchange
//   that was made with it. The caller's own memory and communicators must outlive what works on
//   them.
// - Fields, blocks, ranges and options are plain structures, which nobody frees. NULL for options
//   means the defaults; else begin with `halocline_grid_options options = HALOCLINE_GRID_OPTIONS;`.
//   That sets their first member, `size`, by which a program and a library of another version know
//   which options the other has: those that the program has not are default, and those that the
//   library has not may not be set.
// - NULL for the scheme of an object to create means "p2p:nonblocking"; "auto" must be asked for.
// - Numbers of cells, elements and bytes are int64_t; ranks, axes, links, fields, kinds (the
//   constants below) and yes or no (1 or 0) are int. Lists are written `x[]`, or `const int* x`,
//   since one constant number is given as a value. Those with an entry for each axis are slowest
//   axis first (of a Fortran array, its last axis), and have room for HALOCLINE_MOST_AXES where the
//   library writes them.
// - Text that a function gives belongs to the library, and lives as long as the object asked. What
//   functions of schemes give lives until this thread calls the next of them.
// - "Collective" functions are called by all ranks of the communicator in the same order. They fail
//   on all of these alike, with the same code and line, also where one rank alone gives a wrong
//   argument. Only a handle that is NULL, in a call that has no communicator, knows no other ranks.
// - A handle is one thread's at a time, as the C++ object.

#include <halocline/version.hpp>

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

// ---- Errors and version -------------------------------------------------------------------------

/// What a function returns.
enum {
  HALOCLINE_SUCCESS = 0,
  HALOCLINE_ERROR = 1,           ///< halocline::Error: something does not fit
  HALOCLINE_ERROR_TIMEOUT = 2,   ///< halocline::Timeout: nothing moved for too long
  HALOCLINE_ERROR_MPI = 3,       ///< an MPI function failed
  HALOCLINE_ERROR_MEMORY = 4,    ///< this rank is out of memory
  HALOCLINE_ERROR_ARGUMENT = 5,  ///< NULL, a number that is too small, a kind that there is not
  HALOCLINE_ERROR_UNKNOWN = 6    ///< any other C++ exception
};

/// What the last function that failed in this thread has to say, in one line for the user; "" if
/// none has. Valid until another one fails in this thread.
const char* halocline_last_error(void);

/// The version of the library that runs, compared like HALOCLINE_VERSION.
int halocline_version(void);
/// The same for people: "0.2.0".
const char* halocline_version_text(void);

// ---- Handles and limits -------------------------------------------------------------------------

typedef struct halocline_environment halocline_environment;
typedef struct halocline_cut halocline_cut;  ///< halocline::GridCut
typedef struct halocline_grid halocline_grid;
typedef struct halocline_distribution halocline_distribution;
typedef struct halocline_pattern halocline_pattern;
typedef struct halocline_memory halocline_memory;
typedef struct halocline_array halocline_array;
typedef struct halocline_arena halocline_arena;
typedef struct halocline_exchange halocline_exchange;
typedef struct halocline_ragged_exchange halocline_ragged_exchange;
typedef struct halocline_gather_scatter halocline_gather_scatter;
typedef struct halocline_async_exchange halocline_async_exchange;
typedef struct halocline_section halocline_section;

enum {
  HALOCLINE_MOST_AXES = 5,
  HALOCLINE_UNKNOWN = -1  ///< how many elements a field has; how wide a halo is
};

// ---- Communicators ------------------------------------------------------------------------------

/// The value of an MPI_Comm, so that this header needs no mpi.h and is the same for all MPIs.
/// Nobody frees it; the MPI_Comm must live as long as it did for C++.
typedef intptr_t halocline_comm;

#ifdef MPI_VERSION  // mpi.h was included before
#ifdef __cplusplus  // whose warnings of old casts are no warnings of these
#define HALOCLINE_AS(type, value) type(value)
#else
#define HALOCLINE_AS(type, value) (type)(value)
#endif
/// The communicator of an MPI_Comm, and back.
static inline halocline_comm halocline_comm_of(MPI_Comm comm) {
  return HALOCLINE_AS(halocline_comm, comm);
}
static inline MPI_Comm halocline_comm_mpi(halocline_comm comm) {
  return HALOCLINE_AS(MPI_Comm, comm);
}
#undef HALOCLINE_AS
#endif

/// MPI_COMM_WORLD.
int halocline_world(halocline_comm* comm);
/// Converts a Fortran handle (an `integer`, or `comm%mpi_val`), and back. MPI must have begun.
int halocline_comm_f2c(int fortran, halocline_comm* comm);
int halocline_comm_c2f(halocline_comm comm, int* fortran);
/// Takes the MPI_Comm that lies at an address: Python's `mpi4py.MPI._addressof(comm)`.
int halocline_comm_at(const void* address, halocline_comm* comm);

int halocline_rank(halocline_comm comm, int* rank);  ///< mine
int halocline_size(halocline_comm comm, int* size);  ///< number of ranks

// ---- The program --------------------------------------------------------------------------------

/// What halocline_environment_create asks MPI for.
enum {
  HALOCLINE_THREAD_SINGLE = 0,
  HALOCLINE_THREAD_FUNNELED = 1,
  HALOCLINE_THREAD_SERIALIZED = 2,
  HALOCLINE_THREAD_MULTIPLE = 3
};

/// Initialises MPI unless it has begun already; then it joins. `argc` and `argv` may be NULL. A
/// program that calls MPI_Init itself needs none of this. Fails if the thread level is lower than
/// the one asked for, a variable of the environment says nothing that can be, the launcher is
/// another MPI's, or MPI has ended; on all ranks if it has begun MPI, which then goes on.
/// Collective over MPI_COMM_WORLD.
int halocline_environment_create(int* argc, char*** argv, int thread_level,
                                 halocline_environment** environment);
/// Finalises MPI if this environment has begun it.
int halocline_environment_free(halocline_environment** environment);

/// Ends the whole job after one message: "program: rank R: text". Does not return.
void halocline_end_job(const char* program, const char* text);
/// Ends this process with a line and a failure; for halocline_patience.stuck.
void halocline_end_process(const char* message);

/// How long and how politely this process waits: halocline::Patience. One for the process, which
/// belongs to whoever owns that. Ask for it, change it, set it.
typedef struct halocline_patience {
  int64_t size;        ///< by HALOCLINE_PATIENCE
  double timeout;      ///< seconds without progress before HALOCLINE_ERROR_TIMEOUT; INFINITY: never
  int yield;           ///< give the core away between polls from the beginning
  double spin;         ///< seconds of polling before it gives the core away between polls
  const char* remedy;  ///< what the message of a Timeout says of how to raise the limit; kept
  /// Called by another thread if a call into MPI that cannot be polled takes longer than `timeout`;
  /// NULL: the call goes on waiting. A program that rather ends takes halocline_end_process.
  void (*stuck)(const char* message);
} halocline_patience;

/// Nothing yet: for halocline_patience_get.
#define HALOCLINE_PATIENCE \
  { sizeof(halocline_patience), 0, 0, 0, NULL, NULL }

int halocline_patience_get(halocline_patience* patience);
/// While no thread waits. Fails unless the timeout is above 0 and the spin not below.
int halocline_patience_set(const halocline_patience* patience);
/// Switches `yield` on if the ranks crowd this node, as the first exchange on a communicator does
/// by itself. Collective.
int halocline_patience_detect(halocline_comm comm);
/// Takes `timeout` from HALOCLINE_TIMEOUT and `spin` from HALOCLINE_SPIN_US where they are not set.
int halocline_patience_heed_environment(void);
/// Whether ranks outnumber the cores that they may run on, on this node. Collective.
int halocline_crowded(halocline_comm comm, int* crowded);
/// If ranks crowd a node: makes MPICH's own collectives yield as well, after which its sums may
/// differ in their last bits. The application's choice. Collective over all ranks of the job.
int halocline_make_collectives_yield(halocline_comm comm);

// ---- Schemes ------------------------------------------------------------------------------------
// A scheme is its string: "p2p:nonblocking", "shm:signal+access=copy", "auto". Functions fail
// naming what does not fit and what would, also when this MPI lacks the method.

/// Canonical: options in the method's order, defaults left out.
int halocline_scheme_str(const char* scheme, const char** text);
/// With every option spelled out.
int halocline_scheme_full(const char* scheme, const char** text);
/// Without options: "rma:put:fence".
int halocline_scheme_method(const char* scheme, const char** text);
/// The value of an option, given or by default. Fails if the method has no such option.
int halocline_scheme_option(const char* scheme, const char* option, const char** text);
/// The scheme with another value of an option, or with its default.
int halocline_scheme_with(const char* scheme, const char* option, const char* value,
                          const char** text);
int halocline_scheme_without(const char* scheme, const char* option, const char** text);
/// Whether a glob (with * and ?) fits halocline_scheme_str or halocline_scheme_full.
int halocline_scheme_matches(const char* scheme, const char* glob, int* matches);
/// The kind of memory (HALOCLINE_PLAIN, ...) that it works best on.
int halocline_scheme_memory(const char* scheme, int* kind);
/// Whether it may leave cells with the neighbour: see HALOCLINE_IN_PLACE.
int halocline_scheme_reads_in_place(const char* scheme, int* really);

/// How many methods there are, available or not, without `auto`.
int halocline_known_schemes(int* count);
/// Gives method `index`: its scheme with default options, what it does in one line, and why this
/// MPI cannot run it ("" if it can). Each of the three may be NULL: then it is not asked for.
int halocline_known_scheme(int index, const char** scheme, const char** summary,
                           const char** unavailable);
/// Every method with every combination of its options that is available, a line each.
int halocline_scheme_combinations(const char** lines);
/// The options of all methods as text for the user.
int halocline_scheme_options_help(const char** text);

// ---- Ranges, and cuts of grids ------------------------------------------------------------------

/// One axis' cells of one part: [begin, end).
typedef struct halocline_range {
  int64_t begin, end;
} halocline_range;

/// Part `index` of `parts` of `cells`; the first `cells % parts` parts hold one more.
int halocline_part_of(int64_t cells, int parts, int index, halocline_range* range);

/// Halo cells below and above the subdomain along one axis.
typedef struct halocline_halo_width {
  int below, above;
} halocline_halo_width;

/// How a grid is cut.
enum {
  HALOCLINE_ROWS = 0,   ///< the slowest axis alone
  HALOCLINE_BLOCKS = 1  ///< all axes, so that the least surface crosses ranks
};

/// halocline::GridOptions. Entries beyond the grid's axes are not read.
typedef struct halocline_grid_options {
  int64_t size;                                    ///< in bytes: by HALOCLINE_GRID_OPTIONS
  halocline_halo_width halo[HALOCLINE_MOST_AXES];  ///< of each axis
  int periodic[HALOCLINE_MOST_AXES];               ///< 1: the last cell is beside the first
  int dims[HALOCLINE_MOST_AXES];  ///< the process grid, if chosen by hand; all 0 if not
  int corners;                    ///< edges and corners too, or faces only
  int decomposition;              ///< HALOCLINE_BLOCKS or HALOCLINE_ROWS
  /// Cuts of your own along an axis: its parts' first cells, and the end; NULL for equal parts.
  const int64_t* cuts[HALOCLINE_MOST_AXES];
  int cut_counts[HALOCLINE_MOST_AXES];  ///< numbers in each of these lists: parts and one more
  int renumber;                         ///< the grid may renumber ranks; for grids, not for cuts
  const char* nodes;  ///< what counts as a node in that: "node", "numa", or a number of ranks
} halocline_grid_options;

/// Halos one cell wide, open, with corners, blocks.
#define HALOCLINE_GRID_OPTIONS                                                                 \
  {                                                                                            \
    sizeof(halocline_grid_options), {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, {0, 0, 0, 0, 0}, \
        {0, 0, 0, 0, 0}, 1, HALOCLINE_BLOCKS, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, 0, "node"      \
  }

/// A Cartesian grid of cells cut into parts, without MPI: rank r of `ranks` has part r, row-major;
/// ranks for which none is left are idle. `cells` along each of 1 to 5 axes, of the whole grid,
/// halos not counted. Fails when a halo is wider than a part, and on options that do not fit.
int halocline_cut_create(int ranks, int axes, const int64_t* cells,
                         const halocline_grid_options* options, halocline_cut** cut);
int halocline_cut_free(halocline_cut** cut);
// All that are of an axis or of a rank fail if there is no such axis or rank.
int halocline_cut_ranks(const halocline_cut* cut, int* ranks);
int halocline_cut_parts(const halocline_cut* cut, int* parts);  ///< at most as many as ranks
int halocline_cut_axes(const halocline_cut* cut, int* axes);
int halocline_cut_cells(const halocline_cut* cut, int64_t cells[]);  ///< along each axis
int halocline_cut_dims(const halocline_cut* cut, int dims[]);        ///< the process grid
int halocline_cut_width(const halocline_cut* cut, int axis, halocline_halo_width* width);
int halocline_cut_periodic(const halocline_cut* cut, int axis, int* periodic);
int halocline_cut_idle(const halocline_cut* cut, int rank, int* idle);  ///< it owns no cell
/// Along each axis; -1 of an idle rank.
int halocline_cut_coordinates(const halocline_cut* cut, int rank, int coordinates[]);
/// Cells of the whole grid that a rank owns along `axis`; {0, 0} of an idle rank.
int halocline_cut_owned(const halocline_cut* cut, int rank, int axis, halocline_range* cells);
/// Cells that the rank with this coordinate owns along `axis`.
int halocline_cut_owned_by(const halocline_cut* cut, int axis, int coordinate,
                           halocline_range* cells);
/// Cells of a rank's array along `axis`, halos included; 0 of an idle rank.
int halocline_cut_local(const halocline_cut* cut, int rank, int axis, int64_t* cells);
int halocline_cut_owned_cells(const halocline_cut* cut, int rank, int64_t* cells);
/// Elements of a rank's array, halos included.
int halocline_cut_elements(const halocline_cut* cut, int rank, int64_t* elements);
/// Rank at this rank's coordinates plus `offset` (one per axis); -1 outside and of an idle rank.
int halocline_cut_neighbour(const halocline_cut* cut, int rank, const int* offset, int* neighbour);
/// The links of a rank's halo.
int halocline_cut_halo(const halocline_cut* cut, int rank, halocline_pattern** pattern);
/// Which cells each rank owns, and where they lie in its array. `ranks`: who has each of the parts,
/// where that is another order; else NULL.
int halocline_cut_distribution(const halocline_cut* cut, const int* ranks,
                               halocline_distribution** distribution);
/// The grid of the faces between cells along `axis`, for staggered fields: face i lies below cell
/// i. One more than cells, but for a periodic axis.
int halocline_cut_faces(const halocline_cut* cut, int axis, halocline_cut** faces);

/// The process grid that a cut with these options chooses.
int halocline_choose_dims(int ranks, int axes, const int64_t* cells,
                          const halocline_grid_options* options, int dims[]);

// ---- Grids --------------------------------------------------------------------------------------

/// A cut on a communicator, as this rank sees it. The communicator must outlive the grid. Local,
/// unless the grid renumbers, which is collective. Fails as halocline_cut_create.
int halocline_grid_create(halocline_comm comm, int axes, const int64_t* cells,
                          const halocline_grid_options* options, halocline_grid** grid);
int halocline_grid_free(halocline_grid** grid);
/// The communicator given; of a grid that renumbers one of its own.
int halocline_grid_comm(const halocline_grid* grid, halocline_comm* comm);
/// What each rank of this communicator has.
int halocline_grid_cut(const halocline_grid* grid, halocline_cut** cut);
int halocline_grid_axes(const halocline_grid* grid, int* axes);
int halocline_grid_cells(const halocline_grid* grid, int64_t cells[]);
int halocline_grid_dims(const halocline_grid* grid, int dims[]);
int halocline_grid_width(const halocline_grid* grid, int axis, halocline_halo_width* width);
int halocline_grid_periodic(const halocline_grid* grid, int axis, int* periodic);
int halocline_grid_idle(const halocline_grid* grid, int* idle);  ///< this rank owns no cell
int halocline_grid_coordinates(const halocline_grid* grid, int coordinates[]);
int halocline_grid_owned(const halocline_grid* grid, int axis, halocline_range* cells);
int halocline_grid_owned_by(const halocline_grid* grid, int axis, int coordinate,
                            halocline_range* cells);
/// Cells of the local array along `axis`, halos included; 0 on an idle rank.
int halocline_grid_local(const halocline_grid* grid, int axis, int64_t* cells);
/// Elements of the local array, halos included.
int halocline_grid_elements(const halocline_grid* grid, int64_t* elements);
/// Rank at my coordinates plus `offset` (one per axis); negative (MPI_PROC_NULL) outside.
int halocline_grid_neighbour(const halocline_grid* grid, const int* offset, int* neighbour);
/// My halo's links: what I send to and receive from every neighbour.
int halocline_grid_halo(const halocline_grid* grid, halocline_pattern** pattern);
/// Which cells each rank owns, by the ranks of the grid's communicator, or by those of `numbered`.
int halocline_grid_distribution(const halocline_grid* grid, halocline_distribution** distribution);
int halocline_grid_distribution_numbered(const halocline_grid* grid, halocline_comm numbered,
                                         halocline_distribution** distribution);
/// The grid of the faces along `axis`, on the same ranks.
int halocline_grid_faces(const halocline_grid* grid, int axis, halocline_grid** faces);
/// For a program that has read data before its ranks were renumbered: sends the `bytes` of rank r
/// of the communicator given to rank r of the grid's, and gives those that came for this rank,
/// which the caller ends by free(). Collective.
int halocline_grid_moved(const halocline_grid* grid, const void* data, int64_t bytes, void** mine,
                         int64_t* mine_bytes);

// ---- Distributions ------------------------------------------------------------------------------

/// halocline::DistributionOptions.
typedef struct halocline_distribution_options {
  int64_t size;                                     ///< by HALOCLINE_DISTRIBUTION_OPTIONS
  halocline_halo_width halos[HALOCLINE_MOST_AXES];  ///< around a part in its owner's array
  /// The axes in the owners' memory, slowest first: {1, 0} for arrays that are transposed. All 0:
  /// in their own order.
  int order[HALOCLINE_MOST_AXES];
  const int* ranks;  ///< who has each part, where that is another order, once each; else NULL
  int rank_count;    ///< how many these are
  int first;         ///< the rank that has the first part; the next has the second
} halocline_distribution_options;

/// Without halos, axes in their own order, from rank 0 on.
#define HALOCLINE_DISTRIBUTION_OPTIONS                                                \
  {                                                                                   \
    sizeof(halocline_distribution_options), {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, \
        {0, 0, 0, 0, 0}, NULL, 0, 0                                                   \
  }

/// How an array of 1 to 5 axes is spread over ranks: cut along each axis into `dims` parts, as a
/// grid is; parts row-major. The same on all ranks. Local.
int halocline_distribution_create(int axes, const int64_t* cells, const int* dims,
                                  const halocline_distribution_options* options,
                                  halocline_distribution** distribution);
/// With cuts of your own: those of an axis are `counts[axis]` numbers, one axis after the other:
/// the first cells of its parts, and the end; they ascend from 0.
int halocline_distribution_of_cuts(int axes, const int* counts, const int64_t* cuts,
                                   const halocline_distribution_options* options,
                                   halocline_distribution** distribution);
/// Any boxes: the first `counts[0]` are those of the first of `ranks` ranks, and so on; each box is
/// a range along each axis.
int halocline_distribution_of_boxes(int axes, int ranks, const int* counts,
                                    const halocline_range boxes[],
                                    const halocline_distribution_options* options,
                                    halocline_distribution** distribution);
int halocline_distribution_free(halocline_distribution** distribution);

/// A box with its owner, and where it lies in the owner's array.
typedef struct halocline_part {
  int rank;
  int64_t number;  ///< among its owner's
  halocline_range cells[HALOCLINE_MOST_AXES];
  int64_t begin;                        ///< of the part with its halo, in elements of the array
  int64_t elements;                     ///< of the part with its halo
  int64_t offset;                       ///< of its first cell, in elements of the array
  int64_t stride[HALOCLINE_MOST_AXES];  ///< elements from cell to cell along each axis
  int order[HALOCLINE_MOST_AXES];       ///< the axes in memory, slowest first
} halocline_part;

int halocline_distribution_axes(const halocline_distribution* distribution, int* axes);
/// Along each axis; fails where boxes do not say it.
int halocline_distribution_cells(const halocline_distribution* distribution, int64_t cells[]);
int halocline_distribution_halo(const halocline_distribution* distribution, int axis,
                                halocline_halo_width* width);
/// Elements of a rank's array, halos included.
int halocline_distribution_elements(const halocline_distribution* distribution, int rank,
                                    int64_t* elements);
/// How many parts a rank has, and which, in the order of its array, without empty ones: `parts` has
/// room for `room`, and those beyond are left out. NULL and 0 only count.
int halocline_distribution_parts_of(const halocline_distribution* distribution, int rank,
                                    int64_t room, halocline_part parts[], int64_t* count);
/// The same of all parts that have cells in common with a range along each axis.
int halocline_distribution_overlapping(const halocline_distribution* distribution,
                                       const halocline_range cells[], int64_t room,
                                       halocline_part parts[], int64_t* count);
/// Whether any two parts have a cell in common.
int halocline_distribution_overlaps(const halocline_distribution* distribution, int* overlaps);

// ---- Patterns -----------------------------------------------------------------------------------

/// A box of elements inside a local array, slowest axis first; the last axis is contiguous. `n`
/// elements from number `k` on are {k, {1, 1, n}, {0, 0}, 0}.
typedef struct halocline_block {
  int64_t offset;     ///< of the first element, in elements
  int64_t count[3];   ///< planes, rows, elements of a row; each at least 1
  int64_t stride[2];  ///< from plane to plane and from row to row, in elements
  int part;           ///< of a pattern of several parts: whose array it is in
} halocline_block;

/// The links of one rank; none for now. There is at most one message from one rank to another:
/// adding to a known peer extends it. A negative rank (MPI_PROC_NULL) sends and receives nothing.
/// Sender and receiver list a link's elements in the same order. Local, as all of patterns.
int halocline_pattern_create(halocline_pattern** pattern);
/// Another pattern with the same links.
int halocline_pattern_duplicate(const halocline_pattern* pattern, halocline_pattern** same);
int halocline_pattern_free(halocline_pattern** pattern);

/// Sends this block to `peer`, after those added before. Fails on a block that begins before the
/// array or is larger than can be.
int halocline_pattern_send(halocline_pattern* pattern, int peer, const halocline_block* block);
/// Receives from `peer` in this block, after those added before.
int halocline_pattern_receive(halocline_pattern* pattern, int peer, const halocline_block* block);
/// The same, and adds `shift` to each element that has arrived: `count` numbers, one for each
/// number of an element, field after field, as periodic positions need it.
int halocline_pattern_receive_shifted(halocline_pattern* pattern, int peer,
                                      const halocline_block* block, const double* shift, int count);
/// A link that is empty for now, for exchanges whose pattern changes.
int halocline_pattern_send_nothing(halocline_pattern* pattern, int peer);
int halocline_pattern_receive_nothing(halocline_pattern* pattern, int peer);
/// Elements that stay on this rank.
int halocline_pattern_copy(halocline_pattern* pattern, const halocline_block* from,
                           const halocline_block* to);
int halocline_pattern_copy_shifted(halocline_pattern* pattern, const halocline_block* from,
                                   const halocline_block* to, const double* shift, int count);

/// The same of the elements of an index list of `count` integers from 0 on, in its order.
/// Consecutive ones become one block. `shift`: `shifts` numbers that are added to each, or NULL and
/// 0. Fail on a negative index.
int halocline_pattern_send_indices(halocline_pattern* pattern, int peer, const int* indices,
                                   int64_t count);
int halocline_pattern_receive_indices(halocline_pattern* pattern, int peer, const int* indices,
                                      int64_t count, const double* shift, int shifts);
int halocline_pattern_copy_indices(halocline_pattern* pattern, const int* from, const int* to,
                                   int64_t count, const double* shift, int shifts);

/// Says in what array the elements of one side are counted: HALOCLINE_SENDS (sent and copied from)
/// or HALOCLINE_RECEIVES, of part `part`. Extents are with halos, slowest axis first. Exchanges
/// refuse a field with axes that has others. Grids and distributions say it of the patterns
/// that they make. Fails if the pattern counts in others already.
int halocline_pattern_count_in(halocline_pattern* pattern, int side, int part, int axes,
                               const int64_t* extents);

/// From index lists, as compressed rows have them: the first `send_counts[0]` of the indices `send`
/// are the local elements that go to `send_peers[0]`, in order, the next `send_counts[1]` go to
/// `send_peers[1]`, and so on. Indices count from 0. Consecutive ones become one block. Fails on a
/// negative index or count.
int halocline_pattern_from_indices(int sends, const int* send_peers, const int* send_counts,
                                   const int* send, int receives, const int* receive_peers,
                                   const int* receive_counts, const int* receive,
                                   halocline_pattern** pattern);
/// The same with lists of 64-bit integers.
int halocline_pattern_from_indices64(int sends, const int* send_peers, const int64_t* send_counts,
                                     const int64_t* send, int receives, const int* receive_peers,
                                     const int64_t* receive_counts, const int64_t* receive,
                                     halocline_pattern** pattern);
/// A shift, as along a row of ranks or around a ring: sends `sent` to rank `to`, and receives
/// `received` from rank `from`. Fails if the two differ in size.
int halocline_pattern_shift(int to, const halocline_block* sent, int from,
                            const halocline_block* received, halocline_pattern** pattern);
/// What `rank` sends and receives when an array that is spread as `from` is to be spread as `to`,
/// for halocline_exchange_create_between. Fails if the two differ in cells or axes, or if a cell is
/// at two places of `from`.
int halocline_pattern_between(const halocline_distribution* from, const halocline_distribution* to,
                              int rank, halocline_pattern** pattern);

/// For halocline_pattern_halo_of: halocline::HaloOptions.
typedef struct halocline_halo_options {
  int64_t size;  ///< by HALOCLINE_HALO_OPTIONS
  /// What is filled around each part. {HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN} for each axis: all of
  /// the distribution's halos, which is the most.
  halocline_halo_width widths[HALOCLINE_MOST_AXES];
  int periodic[HALOCLINE_MOST_AXES];
  int64_t cells[HALOCLINE_MOST_AXES];  ///< of the whole grid; all 0: as the distribution says
  int corners;                         ///< edges and corners too, or faces only
  int own_arrays;                      ///< each part of a rank is an array of its own
} halocline_halo_options;

/// All halos that there are, open, with corners, in one array.
#define HALOCLINE_HALO_OPTIONS                    \
  {                                               \
    sizeof(halocline_halo_options),               \
        {{HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN},  \
         {HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN},  \
         {HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN},  \
         {HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN},  \
         {HALOCLINE_UNKNOWN, HALOCLINE_UNKNOWN}}, \
        {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, 1, 0    \
  }

/// The halos of all parts that a rank has, where ranks may have several blocks each.
int halocline_pattern_halo_of(const halocline_distribution* parts, int rank,
                              const halocline_halo_options* options, halocline_pattern** pattern);
/// The way back: sends what was received, to where it was sent from; without shifts.
int halocline_pattern_reversed(const halocline_pattern* pattern, halocline_pattern** reversed);
/// The same elements in an array with padding: row j of plane k begins at element
/// `lead` + k * `plane` + j * `row`, where this pattern is of a dense array of planes of `rows`
/// rows of `elements` each.
int halocline_pattern_padded(const halocline_pattern* pattern, int64_t lead, int64_t plane,
                             int64_t row, int64_t rows, int64_t elements,
                             halocline_pattern** padded);
/// Several patterns as one, with one link for a peer: the blocks of pattern i become those of part
/// i.
int halocline_pattern_united(const halocline_pattern* const* parts, int count,
                             halocline_pattern** united);

/// Which of a pattern's lists of links.
enum {
  HALOCLINE_SENDS = 0,
  HALOCLINE_RECEIVES = 1,
  HALOCLINE_COPIES_FROM = 2,  ///< one link, with peer -1: what stays on this rank
  HALOCLINE_COPIES_TO = 3     ///< and where
};

/// A link: its peer, and what it carries.
typedef struct halocline_link {
  int peer;
  int64_t blocks, elements;
} halocline_link;

/// How many links one of the lists has, one of them, and one of its blocks. Fail if there is no
/// such link or block.
int halocline_pattern_links(const halocline_pattern* pattern, int side, int* links);
int halocline_pattern_link(const halocline_pattern* pattern, int side, int link,
                           halocline_link* facts);
int halocline_pattern_block(const halocline_pattern* pattern, int side, int link, int64_t number,
                            halocline_block* block);
int halocline_pattern_empty(const halocline_pattern* pattern, int* empty);
/// Whether anything is added to what is received or copied.
int halocline_pattern_shifts(const halocline_pattern* pattern, int* shifts);
int halocline_pattern_elements_sent(const halocline_pattern* pattern, int64_t* elements);
/// One past the largest element that any block touches: the least size of a field, in elements.
int halocline_pattern_extent(const halocline_pattern* pattern, int64_t* elements);
/// The same of what is sent and copied from, and of what is received and copied to.
int halocline_pattern_send_extent(const halocline_pattern* pattern, int64_t* elements);
int halocline_pattern_receive_extent(const halocline_pattern* pattern, int64_t* elements);

// ---- Fields -------------------------------------------------------------------------------------

/// What an element is made of: halocline::Number.
enum {
  HALOCLINE_BYTES = 0,  ///< anything: structures of the caller's
  HALOCLINE_FLOAT32 = 1,
  HALOCLINE_FLOAT64 = 2,
  HALOCLINE_INT32 = 3,
  HALOCLINE_INT64 = 4,
  HALOCLINE_UINT32 = 5,
  HALOCLINE_UINT64 = 6,
  HALOCLINE_FLOAT16 = 7,
  HALOCLINE_LONG_DOUBLE = 8,
  HALOCLINE_COMPLEX64 = 9,
  HALOCLINE_COMPLEX128 = 10,
  HALOCLINE_BOOLEAN = 11
};

/// Where the elements of an exchange lie in memory. The functions below fill it; a caller may
/// change it. Patterns count the elements of a field with axes as if they followed each other, the
/// last axis fastest, wherever its strides put them.
typedef struct halocline_field {
  void* data;  ///< element 0
  int64_t element_bytes;
  int64_t elements;                ///< HALOCLINE_UNKNOWN: not checked
  const halocline_memory* memory;  ///< the library's, which an exchange keeps alive; or NULL
  int number;                      ///< HALOCLINE_FLOAT64, ...
  int read_only;                   ///< 1: elements are constant, and sent only
  int unbound;                     ///< 1: each step of the exchange is given one; no `data` yet
  int axes;                        ///< 0: elements follow each other
  int64_t extent[HALOCLINE_MOST_AXES];  ///< elements along each axis
  int64_t stride[HALOCLINE_MOST_AXES];  ///< bytes from one to the next along it
  int64_t reserved[4];                  ///< 0: for later versions
} halocline_field;

/// `elements` elements that follow each other from `data` on, each of `numbers` numbers of a type:
/// (x, HALOCLINE_FLOAT64, 3, n) is a `double x[n][3]`, (p, HALOCLINE_BYTES, sizeof *p, n) an array
/// of structures.
int halocline_field_of(void* data, int number, int64_t numbers, int64_t elements,
                       halocline_field* field);
/// An array whose element (0, 0, ...) is at `data`, with `extents` elements along each of 1 to 5
/// axes, and `strides` elements from one to the next along it, which may be negative; NULL: in C
/// order.
int halocline_field_strided(void* data, int number, int64_t numbers, int axes,
                            const int64_t* extents, const int64_t* strides, halocline_field* field);
/// In place of a field where an exchange is made that is given arrays at each step.
int halocline_field_unbound(int number, int64_t numbers, halocline_field* field);
/// The same memory with axes of its own. Fails if that does not hold them.
int halocline_field_shaped(const halocline_field* field, int axes, const int64_t* extents,
                           const int64_t* strides, halocline_field* shaped);
/// A box of a field with axes: its element 0 is the one at `begin`.
int halocline_field_box(const halocline_field* field, const int64_t* begin, const int64_t* extents,
                        halocline_field* box);
/// Component `index` of an array that has them along an axis: the field without that axis.
int halocline_field_component(const halocline_field* field, int axis, int64_t index,
                              halocline_field* component);
/// One member of each of the structures: `numbers` numbers that begin `offset` bytes (offsetof)
/// behind the structure.
int halocline_field_member(const halocline_field* field, int64_t offset, int number,
                           int64_t numbers, halocline_field* member);
/// Strides, in elements, of an array of these extents: the last axis fastest, or the first.
int halocline_c_order(int axes, const int64_t* extents, int64_t strides[]);
int halocline_fortran_order(int axes, const int64_t* extents, int64_t strides[]);

// ---- Memory of the library ----------------------------------------------------------------------

/// Where memory lives, and so who else can reach it.
enum {
  HALOCLINE_PLAIN = 0,   ///< this process only
  HALOCLINE_WINDOW = 1,  ///< in an RMA window
  HALOCLINE_SHARED = 2,  ///< in the island's shared memory
  HALOCLINE_DEVICE = 3   ///< on the device of this process
};

/// Zeroed bytes of one rank; the ranks may ask for different numbers. They live as long as the last
/// of the handle and the exchanges of their fields. Fails, on all ranks, if a node lacks memory; if
/// it lacks only shared memory they become plain, and halocline_memory_note says so. `islands`:
/// "node", "numa", a number of ranks, or NULL for the first. Collective.
int halocline_memory_create(halocline_comm comm, int64_t bytes, int kind, const char* islands,
                            halocline_memory** memory);
/// The same of the kind that suits the scheme.
int halocline_memory_create_for(halocline_comm comm, int64_t bytes, const char* scheme,
                                halocline_memory** memory);
int halocline_memory_free(halocline_memory** memory);
int halocline_memory_data(const halocline_memory* memory, void** data);
int halocline_memory_bytes(const halocline_memory* memory, int64_t* bytes);
int halocline_memory_kind(const halocline_memory* memory, int* kind);  ///< what it became
/// Why it is not what was asked for; "" if it is.
int halocline_memory_note(const halocline_memory* memory, const char** note);
/// Elements that follow each other from `data` on, which lies in this memory; NULL: from its
/// beginning. HALOCLINE_UNKNOWN elements: as many as there are. Fails if they do not lie in it.
int halocline_memory_field(const halocline_memory* memory, void* data, int number, int64_t numbers,
                           int64_t elements, halocline_field* field);

/// An array in the memory that suits the scheme: `elements` elements of `numbers` numbers of a
/// type. Collective.
int halocline_array_create(halocline_comm comm, int64_t elements, int number, int64_t numbers,
                           const char* scheme, halocline_array** array);
/// My part of the grid, halos included. Collective over the grid's ranks.
int halocline_array_create_on(const halocline_grid* grid, int number, int64_t numbers,
                              const char* scheme, halocline_array** array);
/// Fields of it stay valid for exchanges that have been made; make no others with them.
int halocline_array_free(halocline_array** array);
int halocline_array_data(const halocline_array* array, void** data);
int halocline_array_size(const halocline_array* array, int64_t* elements);
int halocline_array_field(const halocline_array* array, halocline_field* field);
/// Belongs to the array.
int halocline_array_memory(const halocline_array* array, const halocline_memory** memory);

/// A fixed number of bytes in the memory of a scheme, to allocate from. Only to make it is
/// collective; to allocate is local, and several threads may at once.
int halocline_arena_create(halocline_comm comm, int64_t bytes, const char* scheme,
                           halocline_arena** arena);
int halocline_arena_free(halocline_arena** arena);
/// Begins a cache line. Fails if there is no room for so many bytes in one piece.
int halocline_arena_allocate(const halocline_arena* arena, int64_t bytes, void** begin);
/// NULL does nothing. Fails if no piece of the arena's begins there, or not any more.
int halocline_arena_deallocate(const halocline_arena* arena, void* begin);
int halocline_arena_bytes_free(const halocline_arena* arena, int64_t* bytes);
/// For halocline_memory_field. Belongs to the arena.
int halocline_arena_memory(const halocline_arena* arena, const halocline_memory** memory);

// ---- Exchanges ----------------------------------------------------------------------------------

/// What an exchange does with arriving elements.
enum {
  HALOCLINE_REPLACE = 0,
  HALOCLINE_SUM = 1,
  HALOCLINE_MIN = 2,
  HALOCLINE_MAX = 3,
  HALOCLINE_FUNCTION = 4  ///< as the caller's function says
};

/// Combines each of `count` numbers (or elements) at `arrived` with the one at `here`, and leaves
/// the result there; it should be commutative. `arrived` is aligned for any type, `here` as the
/// field is. Called in finish, in the thread that calls that.
typedef void (*halocline_combine_function)(void* here, const void* arrived, int64_t count,
                                           void* context);

/// halocline::Combine. Sums have the same bits in any order of arrival, but with rma:accumulate.
typedef struct halocline_combine {
  int how;                              ///< HALOCLINE_REPLACE, HALOCLINE_SUM, ...
  halocline_combine_function function;  ///< for HALOCLINE_FUNCTION; all ranks give the same
  void* context;                        ///< what it is given
  int64_t bytes;                        ///< of what it takes: elements consist of such
} halocline_combine;

/// Where a caller reads halos.
enum {
  HALOCLINE_FILLED = 0,   ///< in its own memory
  HALOCLINE_IN_PLACE = 1  ///< only where halocline_exchange_view finds them
};

/// halocline::ExchangeOptions.
typedef struct halocline_exchange_options {
  int64_t size;  ///< by HALOCLINE_EXCHANGE_OPTIONS
  halocline_combine combine;
  int changes;    ///< halocline_exchange_change may replace the pattern
  int halos;      ///< HALOCLINE_FILLED or HALOCLINE_IN_PLACE
  int any_order;  ///< arriving numbers may be combined in an order of MPI's (rma:accumulate)
  /// The most elements that you expect on a link when the pattern changes; a hint.
  int64_t capacity;
} halocline_exchange_options;

/// What arrives replaces; the pattern stays; halos are filled; an order is kept.
#define HALOCLINE_EXCHANGE_OPTIONS                                                               \
  {                                                                                              \
    sizeof(halocline_exchange_options), {HALOCLINE_REPLACE, NULL, NULL, 0}, 0, HALOCLINE_FILLED, \
        0, 0                                                                                     \
  }

/// One of several patterns of an exchange, and the fields that it is of.
typedef struct halocline_exchange_part {
  const halocline_pattern* pattern;
  const halocline_field* fields;  ///< sent from and, unless there are others, received in
  const halocline_field* to;      ///< received in, as many, where these are others; else NULL
  int count;                      ///< of fields
} halocline_exchange_part;

/// A pattern bound to `count` fields, which travel in the same messages, and to a scheme. The
/// pattern counts elements of each field, and is copied; the fields' memory must stay where it is
/// as long as the exchange lives. Fields are bound to memory, or all of them are unbound, on all
/// ranks alike, and given at each step (halocline_exchange_run_fields).
///
/// Between start and finish a caller may read everything it owns and write what the pattern does
/// not send; it may not touch halos, which are all elements that the pattern receives. Fails, on
/// all ranks alike, if the pattern does not fit: each send needs a receive of the same size, each
/// field holds what the pattern names. Collective, as are start, finish and run.
int halocline_exchange_create(halocline_comm comm, const halocline_pattern* pattern,
                              const halocline_field fields[], int count, const char* scheme,
                              const halocline_exchange_options* options,
                              halocline_exchange** exchange);
/// From some arrays into others, as when an array is to be spread over the ranks in another way.
int halocline_exchange_create_between(halocline_comm comm, const halocline_pattern* pattern,
                                      const halocline_field from[], const halocline_field to[],
                                      int count, const char* scheme,
                                      const halocline_exchange_options* options,
                                      halocline_exchange** exchange);
/// Several patterns, each of fields of its own, with one message to a peer for all of them.
int halocline_exchange_create_parts(halocline_comm comm, const halocline_exchange_part parts[],
                                    int count, const char* scheme,
                                    const halocline_exchange_options* options,
                                    halocline_exchange** exchange);
/// The same for a pattern whose blocks say of which part they are: `counts[i]` fields are those of
/// part i, one part after the other.
int halocline_exchange_create_united(halocline_comm comm, const halocline_pattern* pattern,
                                     const halocline_field* fields, const int* counts, int parts,
                                     const char* scheme, const halocline_exchange_options* options,
                                     halocline_exchange** exchange);
/// Also between start and finish, and after MPI_Finalize. Does not wait.
int halocline_exchange_free(halocline_exchange** exchange);

/// The cells sent must stay as they are until finish. Fails if a step is under way already.
int halocline_exchange_start(halocline_exchange* exchange);
/// Waits: afterwards the halos are this step's. Fails if none has started, and with
/// HALOCLINE_ERROR_TIMEOUT when nothing moves for too long.
int halocline_exchange_finish(halocline_exchange* exchange);
int halocline_exchange_run(halocline_exchange* exchange);  ///< both
/// For an unbound exchange: begins a step on these arrays; first those sent from, then those
/// received in. Fails, on this rank alone, if they are not as many, of elements of the same sizes
/// and types, and as large as when it was made; and if it is bound, unless they lie where they lay.
int halocline_exchange_start_fields(halocline_exchange* exchange, const halocline_field fields[],
                                    int count);
int halocline_exchange_run_fields(halocline_exchange* exchange, const halocline_field fields[],
                                  int count);
/// For fields on a device, in the order of the caller's stream (a cudaStream_t).
int halocline_exchange_start_stream(halocline_exchange* exchange, void* stream);
int halocline_exchange_finish_stream(halocline_exchange* exchange, void* stream);

/// In place of start: the caller marks elements ready part by part.
int halocline_exchange_open(halocline_exchange* exchange);
int halocline_exchange_open_fields(halocline_exchange* exchange, const halocline_field fields[],
                                   int count);
/// Elements [first, first + count) of send link `link`, in message order, are ready. Each once in a
/// step; several threads may call it at the same time if MPI gives MPI_THREAD_MULTIPLE.
int halocline_exchange_ready(halocline_exchange* exchange, int link, int64_t first, int64_t count);
/// If the method can distinguish parts, waits until these elements of receive link `link` are in
/// the halo, and `there` is 1. Else `there` is 0, and they are there after finish.
int halocline_exchange_await(halocline_exchange* exchange, int link, int64_t first, int64_t count,
                             int* there);

/// From the next step on exchanges other blocks with the same peers, and `count` other fields if
/// arrays have moved (NULL and 0: the same). Takes the links out of `pattern` and leaves the old
/// ones there, so that nothing is copied: duplicate a pattern that is needed again. After a failure
/// `pattern` is empty. Local. Fails if the exchange was not made with `changes`, or does not know a
/// peer.
int halocline_exchange_change(halocline_exchange* exchange, halocline_pattern* pattern,
                              const halocline_field fields[], int count);

/// The ranks that it is of: a duplicate of the communicator given, on which the library sends.
int halocline_exchange_comm(const halocline_exchange* exchange, halocline_comm* comm);
/// A copy of what is exchanged in the next step.
int halocline_exchange_pattern(const halocline_exchange* exchange, halocline_pattern** pattern);
/// How many fields there are, and the first `room` of them: those that are sent from and then, if
/// there are others, those that are received in. Their `memory` belongs to the exchange.
int halocline_exchange_fields(halocline_exchange* exchange, int room, halocline_field fields[],
                              int* count);
/// The scheme that `auto` has become; with `auto+when=running` the one in use now.
int halocline_exchange_scheme(const halocline_exchange* exchange, const char** scheme);
/// What memory that the library allocates would gain, as a sentence; "" where it would gain
/// nothing. Valid until it is asked again.
int halocline_exchange_memory_hint(halocline_exchange* exchange, const char** text);
int halocline_exchange_bytes_sent(const halocline_exchange* exchange, int64_t* bytes);  ///< a step

/// Where the elements of a halo block can be read after finish.
typedef struct halocline_halo_view {
  const void* data;   ///< first element
  int64_t stride[3];  ///< bytes from plane to plane, from row to row, from element to element
} halocline_halo_view;

/// Whether halos are read in the neighbour's memory: HALOCLINE_IN_PLACE and `access=direct`.
int halocline_exchange_direct(const halocline_exchange* exchange, int* direct);
/// Block `block` of receive link `link` of field `field`.
int halocline_exchange_view(const halocline_exchange* exchange, int link, int64_t block, int field,
                            halocline_halo_view* view);
/// Copies what views find in neighbours' memory into the halos, between finish and start.
int halocline_exchange_fill_halos(halocline_exchange* exchange);

/// Seconds spent in the parts of an exchange, summed since the last reset.
typedef struct halocline_exchange_times {
  double pack, transfer, wait, copy;
} halocline_exchange_times;
/// Bytes that exchanges of fields on a device have copied, and how many copies that were.
typedef struct halocline_device_traffic {
  uint64_t to_host, to_device, within, copies;
} halocline_device_traffic;

int halocline_exchange_measure(halocline_exchange* exchange, int on);  ///< keep times; off
// In C the structures have the names of the two that follow in C++.
int halocline_exchange_get_times(const halocline_exchange* exchange,
                                 halocline_exchange_times* times);
int halocline_exchange_get_device_traffic(const halocline_exchange* exchange,
                                          halocline_device_traffic* traffic);
int halocline_exchange_reset_times(halocline_exchange* exchange);

// ---- Ragged exchanges ---------------------------------------------------------------------------

/// Links that carry another number of elements at each step. Sends to `targets` and receives from
/// `sources`: ranks, of which one may be named several times or be this one; negative ones exchange
/// nothing. `capacity` is the expected most elements on a link, a hint. Fails, on all ranks alike,
/// unless each link has its other end. Collective, as are start, finish and run.
int halocline_ragged_exchange_create(halocline_comm comm, int target_count, const int* targets,
                                     int source_count, const int* sources, int64_t element_bytes,
                                     int64_t capacity, const char* scheme,
                                     halocline_ragged_exchange** exchange);
int halocline_ragged_exchange_free(halocline_ragged_exchange** exchange);
/// The buffer for the `count` elements to be sent on link `link` (an index into `targets`) in the
/// next step. Call it and write the elements between finish and start. Every step begins with
/// nothing to send.
int halocline_ragged_exchange_outgoing(halocline_ragged_exchange* exchange, int link, int64_t count,
                                       void** elements);
/// Copies these elements into that buffer at once.
int halocline_ragged_exchange_send(halocline_ragged_exchange* exchange, int link,
                                   const void* elements, int64_t count);
int halocline_ragged_exchange_start(halocline_ragged_exchange* exchange);
int halocline_ragged_exchange_finish(halocline_ragged_exchange* exchange);
int halocline_ragged_exchange_run(halocline_ragged_exchange* exchange);
/// The elements that came on link `link` (an index into `sources`) in the last step; valid until
/// the next start.
int halocline_ragged_exchange_received(const halocline_ragged_exchange* exchange, int link,
                                       const void** elements, int64_t* count);
/// The ranks that it is of: a duplicate of the communicator given.
int halocline_ragged_exchange_comm(const halocline_ragged_exchange* exchange, halocline_comm* comm);
int halocline_ragged_exchange_scheme(const halocline_ragged_exchange* exchange,
                                     const char** scheme);

// ---- Gather-scatter -----------------------------------------------------------------------------

/// halocline::GatherScatterOptions.
typedef struct halocline_gather_scatter_options {
  int64_t size;  ///< by HALOCLINE_GATHER_SCATTER_OPTIONS
  halocline_combine combine;
  /// Nodes that no more ranks than these share go straight from each of them to all others.
  int64_t most_direct;
} halocline_gather_scatter_options;

/// Sums; eight ranks.
#define HALOCLINE_GATHER_SCATTER_OPTIONS \
  { sizeof(halocline_gather_scatter_options), {HALOCLINE_SUM, NULL, NULL, 0}, 8 }

/// Combines all copies of each node, and leaves the result in all of them. `numbers[i]` is the
/// global number, from 0 on, of the node that element i of each of `count` fields is a copy of.
/// Between start and finish the caller must not touch nodes with several copies. Fails, on all
/// ranks alike, if a number is negative, or a field has another size. Fields are bound to memory,
/// or all of them are unbound, as those of exchanges. Collective, as are start, finish and run.
int halocline_gather_scatter_create(halocline_comm comm, int64_t elements, const int64_t* numbers,
                                    const halocline_field fields[], int count, const char* scheme,
                                    const halocline_gather_scatter_options* options,
                                    halocline_gather_scatter** sums);
int halocline_gather_scatter_free(halocline_gather_scatter** sums);
int halocline_gather_scatter_start(halocline_gather_scatter* sums);
int halocline_gather_scatter_finish(halocline_gather_scatter* sums);
int halocline_gather_scatter_run(halocline_gather_scatter* sums);
/// If made with unbound fields: begins a step on these arrays. Fails, on this rank alone, if they
/// are not as many, of elements of the same types, and as large as there are numbers.
int halocline_gather_scatter_start_fields(halocline_gather_scatter* sums,
                                          const halocline_field fields[], int count);
int halocline_gather_scatter_run_fields(halocline_gather_scatter* sums,
                                        const halocline_field fields[], int count);
/// The ranks that it is of: a duplicate of the communicator given.
int halocline_gather_scatter_comm(const halocline_gather_scatter* sums, halocline_comm* comm);
int halocline_gather_scatter_scheme(const halocline_gather_scatter* sums, const char** scheme);
int halocline_gather_scatter_bytes_sent(const halocline_gather_scatter* sums, int64_t* bytes);

// ---- Asynchronous exchanges ---------------------------------------------------------------------

/// halocline::AsyncOptions.
typedef struct halocline_async_options {
  int64_t size;  ///< by HALOCLINE_ASYNC_OPTIONS
  int buffers;   ///< messages of one link for which each side has a buffer
  int racy;      ///< 1: a halo holds the cells that have arrived so far; elements must have 8 bytes
} halocline_async_options;

/// One buffer, complete messages.
#define HALOCLINE_ASYNC_OPTIONS \
  { sizeof(halocline_async_options), 1, 0 }

/// Messages of one rank since the exchange was made.
typedef struct halocline_async_counts {
  uint64_t sent, skipped, received, superseded;
} halocline_async_counts;

/// For asynchronous iterations: a halo holds the newest data that have arrived, and no rank waits.
/// Fails, on all ranks alike, for a scheme that cannot be asynchronous, naming those that can.
/// Collective, as is drain.
int halocline_async_exchange_create(halocline_comm comm, const halocline_pattern* pattern,
                                    int64_t element_bytes, const char* scheme,
                                    const halocline_async_options* options,
                                    halocline_async_exchange** exchange);
int halocline_async_exchange_free(halocline_async_exchange** exchange);
/// The address of a field, for the calls below. Fails unless it is of such elements, which follow
/// each other, and has the extents in which the pattern counts.
int halocline_async_exchange_cells(const halocline_async_exchange* exchange,
                                   const halocline_field* field, void** cells);
/// Sends this iteration's cells to every target for which there is a free buffer. The caller may
/// overwrite them at once. Iterations count from 1 and never fall.
int halocline_async_exchange_send(halocline_async_exchange* exchange, const void* cells,
                                  uint64_t iteration);
/// Puts the newest data of every source that has news into the halo; `fresh` (or NULL): how many
/// had. `twin`: the other one of two arrays in turn, which gets the same cells, or NULL.
int halocline_async_exchange_receive(halocline_async_exchange* exchange, void* cells, void* twin,
                                     int64_t* fresh);
/// Receives all messages that have been sent, newest last.
int halocline_async_exchange_drain(halocline_async_exchange* exchange, void* cells, void* twin);
/// The iteration of its source whose cells of receive link `link` the halo holds; 0 at first.
int halocline_async_exchange_iteration_of(const halocline_async_exchange* exchange, int link,
                                          uint64_t* iteration);
int halocline_async_exchange_counts(const halocline_async_exchange* exchange,
                                    halocline_async_counts* counts);
int halocline_async_exchange_scheme(const halocline_async_exchange* exchange, const char** scheme);
/// Those that it was made with. Begin with HALOCLINE_ASYNC_OPTIONS here, too.
int halocline_async_exchange_options(const halocline_async_exchange* exchange,
                                     halocline_async_options* options);

// ---- Sections -----------------------------------------------------------------------------------

/// A part of the program's own step, of which each pass is a lap. Its time chooses the schemes of
/// these exchanges, which were made with `auto+when=running`, on all ranks in the same order. They
/// may be freed before it or after it. An exchange without a section takes the time from one start
/// to the next. Fails if one of them chooses nothing while it runs, or is or was in another
/// section. Collective, as are begin, end and choice.
int halocline_section_create(halocline_comm comm, halocline_exchange* const* exchanges, int count,
                             halocline_section** section);
/// Also within a lap, and after MPI_Finalize.
int halocline_section_free(halocline_section** section);
/// A lap: whatever the program does between these two. All ranks make the same laps. `work`: how
/// much it had to do, in any unit, on all ranks alike, or 1: what laps take is divided by it. Fail
/// if a lap begins while one is under way, or a step of an exchange; if none is under way that
/// ends; if `work` is not above 0 and finite, and then the lap goes on.
int halocline_section_begin(halocline_section* section);
int halocline_section_end(halocline_section* section, double work);
/// A choice of the program's own, which is tried as schemes are: which of `values` to use in this
/// lap. The first is in use until another has won. Call it before or within each lap, with the same
/// values; it changes only where laps begin. Fails if there are none, or others than before. Where
/// ranks differ in their choices, halocline_section_begin fails on all of them, mostly in lap 3.
int halocline_section_choice(halocline_section* section, const char* name, const int* values,
                             int count, int* value);
int halocline_section_decided(const halocline_section* section, int* decided);  ///< nothing to try
int halocline_section_laps(const halocline_section* section, int64_t* laps);    ///< made so far
/// What was tried, for how many laps, what was chosen and by how much, and what trying cost, in
/// lines of text. Valid until it is asked again.
int halocline_section_report(halocline_section* section, const char** text);

/// How many times as long a lap takes: the median and its interval, which holds with this
/// confidence: 0.95, or less where few laps were compared. All 0: it was never timed.
typedef struct halocline_lap_times {
  double value, low, high, confidence;
} halocline_lap_times;
/// The same as data.
typedef struct halocline_findings {
  int64_t laps;
  double seconds;    ///< that laps took whose times are known, and setting candidates up
  double cost;       ///< of these, what trying cost
  double preparing;  ///< of this, setting them up
  int decided;
  int contests;  ///< more than one: laps took longer or shorter than they had
  int chosen;    ///< so many exchanges and choices of the program's own (exchanges alike are one)
} halocline_findings;
/// What one of these uses now.
typedef struct halocline_chosen {
  const char* what;
  const char* yardstick;      ///< what would be used had nothing been tried; or ""
  halocline_lap_times times;  ///< as one with the yardstick
  int matters;                ///< by more than a hundredth
  int tried;                  ///< so many other candidates
} halocline_chosen;
/// One of those: a scheme, or a value, as "depth=2".
typedef struct halocline_tried {
  const char* what;
  int64_t laps;               ///< made with it
  halocline_lap_times times;  ///< as one with what is chosen
  const char* why;            ///< why it is not tried, or not any more; "": it is
} halocline_tried;
/// What is known by now, the same on all ranks. The two others say more of what this has found
/// last, with 0 <= number < findings.chosen and 0 <= other < chosen.tried; their texts are valid
/// until it is called again.
int halocline_section_findings(halocline_section* section, halocline_findings* findings);
int halocline_section_chosen(const halocline_section* section, int number,
                             halocline_chosen* chosen);
int halocline_section_tried(const halocline_section* section, int number, int other,
                            halocline_tried* tried);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
