#pragma once
// What most programs need: describe an exchange once, choose how it is carried out at run time.
// What some need is in halocline/more/, header by header.

#include <halocline/arena.hpp>
#include <halocline/array.hpp>
#include <halocline/combine.hpp>
#include <halocline/cut.hpp>
#include <halocline/distribution.hpp>
#include <halocline/environment.hpp>
#include <halocline/error.hpp>
#include <halocline/exchange.hpp>
#include <halocline/field.hpp>
#include <halocline/field_list.hpp>
#include <halocline/gather_scatter.hpp>
#include <halocline/grid.hpp>
#include <halocline/island.hpp>
#include <halocline/memory.hpp>
#include <halocline/pattern.hpp>
#include <halocline/ragged_exchange.hpp>
#include <halocline/range.hpp>
#include <halocline/scheme.hpp>
#include <halocline/version.hpp>
#include <halocline/wait.hpp>
