#pragma once
// Everything: describe an exchange once, choose how it is carried out at run time.

#include <halocline/arena.hpp>
#include <halocline/array.hpp>
#include <halocline/async_exchange.hpp>
#include <halocline/cut.hpp>
#include <halocline/device.hpp>
#include <halocline/dims.hpp>
#include <halocline/distribution.hpp>
#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/gaspi.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/memory.hpp>
#include <halocline/mpi.hpp>
#include <halocline/partition.hpp>
#include <halocline/pattern.hpp>
#include <halocline/processor.hpp>
#include <halocline/ragged_exchange.hpp>
#include <halocline/reduction.hpp>
#include <halocline/replicated.hpp>
#include <halocline/scheme.hpp>
#include <halocline/standard_output.hpp>
#include <halocline/topology.hpp>
#include <halocline/trace.hpp>
#include <halocline/tuner.hpp>
#include <halocline/wait.hpp>
