// Written by generate.py from the data of the MPI standard: change that.

#include "core/wrapper.hpp"

using namespace recorder;

#ifdef RECORDER_HAVE_Accumulate
RECORDER_EXPORT int MPI_Accumulate(const void* origin_addr, int origin_count,
                                   MPI_Datatype origin_datatype, int target_rank,
                                   MPI_Aint target_disp, int target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  RECORDER_REAL(Accumulate);
  Call call(Function::Accumulate, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, op, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Accumulate)
#endif

#ifdef RECORDER_HAVE_Accumulate_c
RECORDER_EXPORT int MPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                     MPI_Datatype origin_datatype, int target_rank,
                                     MPI_Aint target_disp, MPI_Count target_count,
                                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  RECORDER_REAL(Accumulate_c);
  Call call(Function::Accumulate_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, op, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Accumulate_c)
#endif

#ifdef RECORDER_HAVE_Add_error_class
RECORDER_EXPORT int MPI_Add_error_class(int* errorclass) {
  RECORDER_REAL(Add_error_class);
  Call call(Function::Add_error_class, RECORDER_CALLER);
  if (!call) return real(errorclass);
  call.enter();
  int outcome = real(errorclass);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Add_error_class)
#endif

#ifdef RECORDER_HAVE_Add_error_code
RECORDER_EXPORT int MPI_Add_error_code(int errorclass, int* errorcode) {
  RECORDER_REAL(Add_error_code);
  Call call(Function::Add_error_code, RECORDER_CALLER);
  if (!call) return real(errorclass, errorcode);
  call.enter();
  int outcome = real(errorclass, errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Add_error_code)
#endif

#ifdef RECORDER_HAVE_Add_error_string
RECORDER_EXPORT int MPI_Add_error_string(int errorcode, const char* string) {
  RECORDER_REAL(Add_error_string);
  Call call(Function::Add_error_string, RECORDER_CALLER);
  if (!call) return real(errorcode, string);
  call.enter();
  int outcome = real(errorcode, string);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Add_error_string)
#endif

#ifdef RECORDER_HAVE_Allgather
RECORDER_EXPORT int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm) {
  RECORDER_REAL(Allgather);
  Call call(Function::Allgather, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allgather)
#endif

#ifdef RECORDER_HAVE_Allgather_c
RECORDER_EXPORT int MPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm) {
  RECORDER_REAL(Allgather_c);
  Call call(Function::Allgather_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allgather_c)
#endif

#ifdef RECORDER_HAVE_Allgather_init
RECORDER_EXPORT int MPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                       void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Allgather_init);
  Call call(Function::Allgather_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allgather_init)
#endif

#ifdef RECORDER_HAVE_Allgather_init_c
RECORDER_EXPORT int MPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                         MPI_Request* request) {
  RECORDER_REAL(Allgather_init_c);
  Call call(Function::Allgather_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allgather_init_c)
#endif

#ifdef RECORDER_HAVE_Allgatherv
RECORDER_EXPORT int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Allgatherv);
  Call call(Function::Allgatherv, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allgatherv)
#endif

#ifdef RECORDER_HAVE_Allgatherv_c
RECORDER_EXPORT int MPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint displs[],
                                     MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Allgatherv_c);
  Call call(Function::Allgatherv_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allgatherv_c)
#endif

#ifdef RECORDER_HAVE_Allgatherv_init
RECORDER_EXPORT int MPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                        void* recvbuf, const int recvcounts[], const int displs[],
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request* request) {
  RECORDER_REAL(Allgatherv_init);
  Call call(Function::Allgatherv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                     info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allgatherv_init)
#endif

#ifdef RECORDER_HAVE_Allgatherv_init_c
RECORDER_EXPORT int MPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                          MPI_Datatype sendtype, void* recvbuf,
                                          const MPI_Count recvcounts[], const MPI_Aint displs[],
                                          MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                          MPI_Request* request) {
  RECORDER_REAL(Allgatherv_init_c);
  Call call(Function::Allgatherv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                     info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allgatherv_init_c)
#endif

#ifdef RECORDER_HAVE_Alloc_mem
RECORDER_EXPORT int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  RECORDER_REAL(Alloc_mem);
  Call call(Function::Alloc_mem, RECORDER_CALLER);
  if (!call) return real(size, info, baseptr);
  call.enter();
  int outcome = real(size, info, baseptr);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Alloc_mem)
#endif

#ifdef RECORDER_HAVE_Allreduce
RECORDER_EXPORT int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Allreduce);
  Call call(Function::Allreduce, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allreduce)
#endif

#ifdef RECORDER_HAVE_Allreduce_c
RECORDER_EXPORT int MPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Allreduce_c);
  Call call(Function::Allreduce_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Allreduce_c)
#endif

#ifdef RECORDER_HAVE_Allreduce_init
RECORDER_EXPORT int MPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count,
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                       MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Allreduce_init);
  Call call(Function::Allreduce_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allreduce_init)
#endif

#ifdef RECORDER_HAVE_Allreduce_init_c
RECORDER_EXPORT int MPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                         MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Allreduce_init_c);
  Call call(Function::Allreduce_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Allreduce_init_c)
#endif

#ifdef RECORDER_HAVE_Alltoall
RECORDER_EXPORT int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                 MPI_Comm comm) {
  RECORDER_REAL(Alltoall);
  Call call(Function::Alltoall, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoall)
#endif

#ifdef RECORDER_HAVE_Alltoall_c
RECORDER_EXPORT int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm) {
  RECORDER_REAL(Alltoall_c);
  Call call(Function::Alltoall_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoall_c)
#endif

#ifdef RECORDER_HAVE_Alltoall_init
RECORDER_EXPORT int MPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Alltoall_init);
  Call call(Function::Alltoall_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoall_init)
#endif

#ifdef RECORDER_HAVE_Alltoall_init_c
RECORDER_EXPORT int MPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount,
                                        MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                        MPI_Request* request) {
  RECORDER_REAL(Alltoall_init_c);
  Call call(Function::Alltoall_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoall_init_c)
#endif

#ifdef RECORDER_HAVE_Alltoallv
RECORDER_EXPORT int MPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                  const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Alltoallv);
  Call call(Function::Alltoallv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallv)
#endif

#ifdef RECORDER_HAVE_Alltoallv_c
RECORDER_EXPORT int MPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                    const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                    MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Alltoallv_c);
  Call call(Function::Alltoallv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallv_c)
#endif

#ifdef RECORDER_HAVE_Alltoallv_init
RECORDER_EXPORT int MPI_Alltoallv_init(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                       const int recvcounts[], const int rdispls[],
                                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                       MPI_Request* request) {
  RECORDER_REAL(Alltoallv_init);
  Call call(Function::Alltoallv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallv_init)
#endif

#ifdef RECORDER_HAVE_Alltoallv_init_c
RECORDER_EXPORT int MPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                         MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Alltoallv_init_c);
  Call call(Function::Alltoallv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallv_init_c)
#endif

#ifdef RECORDER_HAVE_Alltoallw
RECORDER_EXPORT int MPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                  const MPI_Datatype sendtypes[], void* recvbuf,
                                  const int recvcounts[], const int rdispls[],
                                  const MPI_Datatype recvtypes[], MPI_Comm comm) {
  RECORDER_REAL(Alltoallw);
  Call call(Function::Alltoallw, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallw)
#endif

#ifdef RECORDER_HAVE_Alltoallw_c
RECORDER_EXPORT int MPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                    void* recvbuf, const MPI_Count recvcounts[],
                                    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                    MPI_Comm comm) {
  RECORDER_REAL(Alltoallw_c);
  Call call(Function::Alltoallw_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallw_c)
#endif

#ifdef RECORDER_HAVE_Alltoallw_init
RECORDER_EXPORT int MPI_Alltoallw_init(const void* sendbuf, const int sendcounts[],
                                       const int sdispls[], const MPI_Datatype sendtypes[],
                                       void* recvbuf, const int recvcounts[], const int rdispls[],
                                       const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                       MPI_Request* request) {
  RECORDER_REAL(Alltoallw_init);
  Call call(Function::Alltoallw_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallw_init)
#endif

#ifdef RECORDER_HAVE_Alltoallw_init_c
RECORDER_EXPORT int MPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                         const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                         void* recvbuf, const MPI_Count recvcounts[],
                                         const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                         MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Alltoallw_init_c);
  Call call(Function::Alltoallw_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Alltoallw_init_c)
#endif

#ifdef RECORDER_HAVE_Barrier
RECORDER_EXPORT int MPI_Barrier(MPI_Comm comm) {
  RECORDER_REAL(Barrier);
  Call call(Function::Barrier, RECORDER_CALLER);
  if (!call) return real(comm);
  call.on(comm);
  call.enter();
  int outcome = real(comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Barrier)
#endif

#ifdef RECORDER_HAVE_Barrier_init
RECORDER_EXPORT int MPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Barrier_init);
  Call call(Function::Barrier_init, RECORDER_CALLER);
  if (!call) return real(comm, info, request);
  call.on(comm);
  call.enter();
  int outcome = real(comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Barrier_init)
#endif

#ifdef RECORDER_HAVE_Bcast
RECORDER_EXPORT int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                              MPI_Comm comm) {
  RECORDER_REAL(Bcast);
  Call call(Function::Bcast, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Bcast)
#endif

#ifdef RECORDER_HAVE_Bcast_c
RECORDER_EXPORT int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                MPI_Comm comm) {
  RECORDER_REAL(Bcast_c);
  Call call(Function::Bcast_c, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Bcast_c)
#endif

#ifdef RECORDER_HAVE_Bcast_init
RECORDER_EXPORT int MPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root,
                                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Bcast_init);
  Call call(Function::Bcast_init, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm, info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Bcast_init)
#endif

#ifdef RECORDER_HAVE_Bcast_init_c
RECORDER_EXPORT int MPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Bcast_init_c);
  Call call(Function::Bcast_init_c, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm, info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Bcast_init_c)
#endif

#ifdef RECORDER_HAVE_Bsend
RECORDER_EXPORT int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm) {
  RECORDER_REAL(Bsend);
  Call call(Function::Bsend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Bsend)
#endif

#ifdef RECORDER_HAVE_Bsend_c
RECORDER_EXPORT int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm) {
  RECORDER_REAL(Bsend_c);
  Call call(Function::Bsend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Bsend_c)
#endif

#ifdef RECORDER_HAVE_Bsend_init
RECORDER_EXPORT int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                   int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Bsend_init);
  Call call(Function::Bsend_init, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Bsend_init)
#endif

#ifdef RECORDER_HAVE_Bsend_init_c
RECORDER_EXPORT int MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype,
                                     int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Bsend_init_c);
  Call call(Function::Bsend_init_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Bsend_init_c)
#endif

#ifdef RECORDER_HAVE_Buffer_attach
RECORDER_EXPORT int MPI_Buffer_attach(void* buffer, int size) {
  RECORDER_REAL(Buffer_attach);
  Call call(Function::Buffer_attach, RECORDER_CALLER);
  if (!call) return real(buffer, size);
  call.enter();
  int outcome = real(buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_attach)
#endif

#ifdef RECORDER_HAVE_Buffer_attach_c
RECORDER_EXPORT int MPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  RECORDER_REAL(Buffer_attach_c);
  Call call(Function::Buffer_attach_c, RECORDER_CALLER);
  if (!call) return real(buffer, size);
  call.enter();
  int outcome = real(buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_attach_c)
#endif

#ifdef RECORDER_HAVE_Buffer_detach
RECORDER_EXPORT int MPI_Buffer_detach(void* buffer_addr, int* size) {
  RECORDER_REAL(Buffer_detach);
  Call call(Function::Buffer_detach, RECORDER_CALLER);
  if (!call) return real(buffer_addr, size);
  call.enter();
  int outcome = real(buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_detach)
#endif

#ifdef RECORDER_HAVE_Buffer_detach_c
RECORDER_EXPORT int MPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  RECORDER_REAL(Buffer_detach_c);
  Call call(Function::Buffer_detach_c, RECORDER_CALLER);
  if (!call) return real(buffer_addr, size);
  call.enter();
  int outcome = real(buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_detach_c)
#endif

#ifdef RECORDER_HAVE_Buffer_flush
RECORDER_EXPORT int MPI_Buffer_flush(void) {
  RECORDER_REAL(Buffer_flush);
  Call call(Function::Buffer_flush, RECORDER_CALLER);
  if (!call) return real();
  call.enter();
  int outcome = real();
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_flush)
#endif

#ifdef RECORDER_HAVE_Buffer_iflush
RECORDER_EXPORT int MPI_Buffer_iflush(MPI_Request* request) {
  RECORDER_REAL(Buffer_iflush);
  Call call(Function::Buffer_iflush, RECORDER_CALLER);
  if (!call) return real(request);
  call.enter();
  int outcome = real(request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Buffer_iflush)
#endif

#ifdef RECORDER_HAVE_Cancel
RECORDER_EXPORT int MPI_Cancel(MPI_Request* request) {
  RECORDER_REAL(Cancel);
  Call call(Function::Cancel, RECORDER_CALLER);
  if (!call) return real(request);
  call.enter();
  int outcome = real(request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    cancelled(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Cancel)
#endif

#ifdef RECORDER_HAVE_Cart_coords
RECORDER_EXPORT int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  RECORDER_REAL(Cart_coords);
  Call call(Function::Cart_coords, RECORDER_CALLER);
  if (!call) return real(comm, rank, maxdims, coords);
  call.on(comm);
  call.enter();
  int outcome = real(comm, rank, maxdims, coords);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cart_coords)
#endif

#ifdef RECORDER_HAVE_Cart_create
RECORDER_EXPORT int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[],
                                    const int periods[], int reorder, MPI_Comm* comm_cart) {
  RECORDER_REAL(Cart_create);
  Call call(Function::Cart_create, RECORDER_CALLER);
  if (!call) return real(comm_old, ndims, dims, periods, reorder, comm_cart);
  call.on(comm_old);
  call.enter();
  int outcome = real(comm_old, ndims, dims, periods, reorder, comm_cart);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *comm_cart, false);
  }
  return outcome;
}
RECORDER_ALIAS(Cart_create)
#endif

#ifdef RECORDER_HAVE_Cart_get
RECORDER_EXPORT int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[],
                                 int coords[]) {
  RECORDER_REAL(Cart_get);
  Call call(Function::Cart_get, RECORDER_CALLER);
  if (!call) return real(comm, maxdims, dims, periods, coords);
  call.on(comm);
  call.enter();
  int outcome = real(comm, maxdims, dims, periods, coords);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cart_get)
#endif

#ifdef RECORDER_HAVE_Cart_map
RECORDER_EXPORT int MPI_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[],
                                 int* newrank) {
  RECORDER_REAL(Cart_map);
  Call call(Function::Cart_map, RECORDER_CALLER);
  if (!call) return real(comm, ndims, dims, periods, newrank);
  call.on(comm);
  call.enter();
  int outcome = real(comm, ndims, dims, periods, newrank);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cart_map)
#endif

#ifdef RECORDER_HAVE_Cart_rank
RECORDER_EXPORT int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  RECORDER_REAL(Cart_rank);
  Call call(Function::Cart_rank, RECORDER_CALLER);
  if (!call) return real(comm, coords, rank);
  call.on(comm);
  call.enter();
  int outcome = real(comm, coords, rank);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cart_rank)
#endif

#ifdef RECORDER_HAVE_Cart_shift
RECORDER_EXPORT int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* rank_source,
                                   int* rank_dest) {
  RECORDER_REAL(Cart_shift);
  Call call(Function::Cart_shift, RECORDER_CALLER);
  if (!call) return real(comm, direction, disp, rank_source, rank_dest);
  call.on(comm);
  call.enter();
  int outcome = real(comm, direction, disp, rank_source, rank_dest);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cart_shift)
#endif

#ifdef RECORDER_HAVE_Cart_sub
RECORDER_EXPORT int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  RECORDER_REAL(Cart_sub);
  Call call(Function::Cart_sub, RECORDER_CALLER);
  if (!call) return real(comm, remain_dims, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, remain_dims, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, true);
  }
  return outcome;
}
RECORDER_ALIAS(Cart_sub)
#endif

#ifdef RECORDER_HAVE_Cartdim_get
RECORDER_EXPORT int MPI_Cartdim_get(MPI_Comm comm, int* ndims) {
  RECORDER_REAL(Cartdim_get);
  Call call(Function::Cartdim_get, RECORDER_CALLER);
  if (!call) return real(comm, ndims);
  call.on(comm);
  call.enter();
  int outcome = real(comm, ndims);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Cartdim_get)
#endif

#ifdef RECORDER_HAVE_Close_port
RECORDER_EXPORT int MPI_Close_port(const char* port_name) {
  RECORDER_REAL(Close_port);
  Call call(Function::Close_port, RECORDER_CALLER);
  if (!call) return real(port_name);
  call.enter();
  int outcome = real(port_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Close_port)
#endif

#ifdef RECORDER_HAVE_Comm_accept
RECORDER_EXPORT int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                    MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_accept);
  Call call(Function::Comm_accept, RECORDER_CALLER);
  if (!call) return real(port_name, info, root, comm, newcomm);
  call.on(comm);
  call.root(root);
  call.enter();
  int outcome = real(port_name, info, root, comm, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, false);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_accept)
#endif

#ifdef RECORDER_HAVE_Comm_attach_buffer
RECORDER_EXPORT int MPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  RECORDER_REAL(Comm_attach_buffer);
  Call call(Function::Comm_attach_buffer, RECORDER_CALLER);
  if (!call) return real(comm, buffer, size);
  call.on(comm);
  call.enter();
  int outcome = real(comm, buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_attach_buffer)
#endif

#ifdef RECORDER_HAVE_Comm_attach_buffer_c
RECORDER_EXPORT int MPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  RECORDER_REAL(Comm_attach_buffer_c);
  Call call(Function::Comm_attach_buffer_c, RECORDER_CALLER);
  if (!call) return real(comm, buffer, size);
  call.on(comm);
  call.enter();
  int outcome = real(comm, buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_attach_buffer_c)
#endif

#ifdef RECORDER_HAVE_Comm_call_errhandler
RECORDER_EXPORT int MPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  RECORDER_REAL(Comm_call_errhandler);
  Call call(Function::Comm_call_errhandler, RECORDER_CALLER);
  if (!call) return real(comm, errorcode);
  call.on(comm);
  call.enter();
  int outcome = real(comm, errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_call_errhandler)
#endif

#ifdef RECORDER_HAVE_Comm_compare
RECORDER_EXPORT int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  RECORDER_REAL(Comm_compare);
  Call call(Function::Comm_compare, RECORDER_CALLER);
  if (!call) return real(comm1, comm2, result);
  call.enter();
  int outcome = real(comm1, comm2, result);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_compare)
#endif

#ifdef RECORDER_HAVE_Comm_connect
RECORDER_EXPORT int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm,
                                     MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_connect);
  Call call(Function::Comm_connect, RECORDER_CALLER);
  if (!call) return real(port_name, info, root, comm, newcomm);
  call.on(comm);
  call.root(root);
  call.enter();
  int outcome = real(port_name, info, root, comm, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, false);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_connect)
#endif

#ifdef RECORDER_HAVE_Comm_create
RECORDER_EXPORT int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_create);
  Call call(Function::Comm_create, RECORDER_CALLER);
  if (!call) return real(comm, group, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, group, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, true);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_create)
#endif

#ifdef RECORDER_HAVE_Comm_create_errhandler
RECORDER_EXPORT int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn,
                                               MPI_Errhandler* errhandler) {
  RECORDER_REAL(Comm_create_errhandler);
  Call call(Function::Comm_create_errhandler, RECORDER_CALLER);
  if (!call) return real(comm_errhandler_fn, errhandler);
  call.enter();
  int outcome = real(comm_errhandler_fn, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_create_errhandler)
#endif

#ifdef RECORDER_HAVE_Comm_create_group
RECORDER_EXPORT int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag,
                                          MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_create_group);
  Call call(Function::Comm_create_group, RECORDER_CALLER);
  if (!call) return real(comm, group, tag, newcomm);
  call.on(comm);
  call.tag(tag);
  call.enter();
  int outcome = real(comm, group, tag, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made_by_group(call, group, tag, *newcomm);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_create_group)
#endif

#ifdef RECORDER_HAVE_Comm_create_keyval
RECORDER_EXPORT int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* comm_copy_attr_fn,
                                           MPI_Comm_delete_attr_function* comm_delete_attr_fn,
                                           int* comm_keyval, void* extra_state) {
  RECORDER_REAL(Comm_create_keyval);
  Call call(Function::Comm_create_keyval, RECORDER_CALLER);
  if (!call) return real(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
  call.enter();
  int outcome = real(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, extra_state);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_create_keyval)
#endif

#ifdef RECORDER_HAVE_Comm_delete_attr
RECORDER_EXPORT int MPI_Comm_delete_attr(MPI_Comm comm, int comm_keyval) {
  RECORDER_REAL(Comm_delete_attr);
  Call call(Function::Comm_delete_attr, RECORDER_CALLER);
  if (!call) return real(comm, comm_keyval);
  call.on(comm);
  call.enter();
  int outcome = real(comm, comm_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_delete_attr)
#endif

#ifdef RECORDER_HAVE_Comm_detach_buffer
RECORDER_EXPORT int MPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  RECORDER_REAL(Comm_detach_buffer);
  Call call(Function::Comm_detach_buffer, RECORDER_CALLER);
  if (!call) return real(comm, buffer_addr, size);
  call.on(comm);
  call.enter();
  int outcome = real(comm, buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_detach_buffer)
#endif

#ifdef RECORDER_HAVE_Comm_detach_buffer_c
RECORDER_EXPORT int MPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  RECORDER_REAL(Comm_detach_buffer_c);
  Call call(Function::Comm_detach_buffer_c, RECORDER_CALLER);
  if (!call) return real(comm, buffer_addr, size);
  call.on(comm);
  call.enter();
  int outcome = real(comm, buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_detach_buffer_c)
#endif

#ifdef RECORDER_HAVE_Comm_disconnect
RECORDER_EXPORT int MPI_Comm_disconnect(MPI_Comm* comm) {
  RECORDER_REAL(Comm_disconnect);
  Call call(Function::Comm_disconnect, RECORDER_CALLER);
  if (!call) return real(comm);
  call.on(*comm);
  MPI_Comm freed = *comm;
  call.enter();
  int outcome = real(comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    call.run().communicators.freed(freed);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_disconnect)
#endif

#ifdef RECORDER_HAVE_Comm_dup
RECORDER_EXPORT int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_dup);
  Call call(Function::Comm_dup, RECORDER_CALLER);
  if (!call) return real(comm, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, false);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_dup)
#endif

#ifdef RECORDER_HAVE_Comm_dup_with_info
RECORDER_EXPORT int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_dup_with_info);
  Call call(Function::Comm_dup_with_info, RECORDER_CALLER);
  if (!call) return real(comm, info, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, info, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, false);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_dup_with_info)
#endif

#ifdef RECORDER_HAVE_Comm_flush_buffer
RECORDER_EXPORT int MPI_Comm_flush_buffer(MPI_Comm comm) {
  RECORDER_REAL(Comm_flush_buffer);
  Call call(Function::Comm_flush_buffer, RECORDER_CALLER);
  if (!call) return real(comm);
  call.on(comm);
  call.enter();
  int outcome = real(comm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_flush_buffer)
#endif

#ifdef RECORDER_HAVE_Comm_free
RECORDER_EXPORT int MPI_Comm_free(MPI_Comm* comm) {
  RECORDER_REAL(Comm_free);
  Call call(Function::Comm_free, RECORDER_CALLER);
  if (!call) return real(comm);
  call.on(*comm);
  MPI_Comm freed = *comm;
  call.enter();
  int outcome = real(comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    call.run().communicators.freed(freed);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_free)
#endif

#ifdef RECORDER_HAVE_Comm_free_keyval
RECORDER_EXPORT int MPI_Comm_free_keyval(int* comm_keyval) {
  RECORDER_REAL(Comm_free_keyval);
  Call call(Function::Comm_free_keyval, RECORDER_CALLER);
  if (!call) return real(comm_keyval);
  call.enter();
  int outcome = real(comm_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_free_keyval)
#endif

#ifdef RECORDER_HAVE_Comm_get_errhandler
RECORDER_EXPORT int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  RECORDER_REAL(Comm_get_errhandler);
  Call call(Function::Comm_get_errhandler, RECORDER_CALLER);
  if (!call) return real(comm, errhandler);
  call.on(comm);
  call.enter();
  int outcome = real(comm, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_get_errhandler)
#endif

#ifdef RECORDER_HAVE_Comm_get_info
RECORDER_EXPORT int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  RECORDER_REAL(Comm_get_info);
  Call call(Function::Comm_get_info, RECORDER_CALLER);
  if (!call) return real(comm, info_used);
  call.on(comm);
  call.enter();
  int outcome = real(comm, info_used);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_get_info)
#endif

#ifdef RECORDER_HAVE_Comm_get_parent
RECORDER_EXPORT int MPI_Comm_get_parent(MPI_Comm* parent) {
  RECORDER_REAL(Comm_get_parent);
  Call call(Function::Comm_get_parent, RECORDER_CALLER);
  if (!call) return real(parent);
  call.enter();
  int outcome = real(parent);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_get_parent)
#endif

#ifdef RECORDER_HAVE_Comm_group
RECORDER_EXPORT int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  RECORDER_REAL(Comm_group);
  Call call(Function::Comm_group, RECORDER_CALLER);
  if (!call) return real(comm, group);
  call.on(comm);
  call.enter();
  int outcome = real(comm, group);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_group)
#endif

#ifdef RECORDER_HAVE_Comm_idup
RECORDER_EXPORT int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  RECORDER_REAL(Comm_idup);
  Call call(Function::Comm_idup, RECORDER_CALLER);
  if (!call) return real(comm, newcomm, request);
  call.on(comm);
  call.enter();
  int outcome = real(comm, newcomm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made_later(call, newcomm, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_idup)
#endif

#ifdef RECORDER_HAVE_Comm_idup_with_info
RECORDER_EXPORT int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm,
                                            MPI_Request* request) {
  RECORDER_REAL(Comm_idup_with_info);
  Call call(Function::Comm_idup_with_info, RECORDER_CALLER);
  if (!call) return real(comm, info, newcomm, request);
  call.on(comm);
  call.enter();
  int outcome = real(comm, info, newcomm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made_later(call, newcomm, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_idup_with_info)
#endif

#ifdef RECORDER_HAVE_Comm_iflush_buffer
RECORDER_EXPORT int MPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Comm_iflush_buffer);
  Call call(Function::Comm_iflush_buffer, RECORDER_CALLER);
  if (!call) return real(comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(comm, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_iflush_buffer)
#endif

#ifdef RECORDER_HAVE_Comm_join
RECORDER_EXPORT int MPI_Comm_join(int fd, MPI_Comm* intercomm) {
  RECORDER_REAL(Comm_join);
  Call call(Function::Comm_join, RECORDER_CALLER);
  if (!call) return real(fd, intercomm);
  call.enter();
  int outcome = real(fd, intercomm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_join)
#endif

#ifdef RECORDER_HAVE_Comm_remote_group
RECORDER_EXPORT int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  RECORDER_REAL(Comm_remote_group);
  Call call(Function::Comm_remote_group, RECORDER_CALLER);
  if (!call) return real(comm, group);
  call.on(comm);
  call.enter();
  int outcome = real(comm, group);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_remote_group)
#endif

#ifdef RECORDER_HAVE_Comm_set_attr
RECORDER_EXPORT int MPI_Comm_set_attr(MPI_Comm comm, int comm_keyval, void* attribute_val) {
  RECORDER_REAL(Comm_set_attr);
  Call call(Function::Comm_set_attr, RECORDER_CALLER);
  if (!call) return real(comm, comm_keyval, attribute_val);
  call.on(comm);
  call.enter();
  int outcome = real(comm, comm_keyval, attribute_val);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_set_attr)
#endif

#ifdef RECORDER_HAVE_Comm_set_errhandler
RECORDER_EXPORT int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  RECORDER_REAL(Comm_set_errhandler);
  Call call(Function::Comm_set_errhandler, RECORDER_CALLER);
  if (!call) return real(comm, errhandler);
  call.on(comm);
  call.enter();
  int outcome = real(comm, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_set_errhandler)
#endif

#ifdef RECORDER_HAVE_Comm_set_info
RECORDER_EXPORT int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  RECORDER_REAL(Comm_set_info);
  Call call(Function::Comm_set_info, RECORDER_CALLER);
  if (!call) return real(comm, info);
  call.on(comm);
  call.enter();
  int outcome = real(comm, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Comm_set_info)
#endif

#ifdef RECORDER_HAVE_Comm_spawn
RECORDER_EXPORT int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info,
                                   int root, MPI_Comm comm, MPI_Comm* intercomm,
                                   int array_of_errcodes[]) {
  RECORDER_REAL(Comm_spawn);
  Call call(Function::Comm_spawn, RECORDER_CALLER);
  if (!call) return real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
  call.on(comm);
  call.root(root);
  call.enter();
  int outcome = real(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *intercomm, false);
    ++call.run().spawned_processes;
  }
  return outcome;
}
RECORDER_ALIAS(Comm_spawn)
#endif

#ifdef RECORDER_HAVE_Comm_spawn_multiple
RECORDER_EXPORT int MPI_Comm_spawn_multiple(int count, char* array_of_commands[],
                                            char** array_of_argv[], const int array_of_maxprocs[],
                                            const MPI_Info array_of_info[], int root, MPI_Comm comm,
                                            MPI_Comm* intercomm, int array_of_errcodes[]) {
  RECORDER_REAL(Comm_spawn_multiple);
  Call call(Function::Comm_spawn_multiple, RECORDER_CALLER);
  if (!call)
    return real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root,
                comm, intercomm, array_of_errcodes);
  call.on(comm);
  call.root(root);
  call.enter();
  int outcome = real(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info,
                     root, comm, intercomm, array_of_errcodes);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *intercomm, false);
    ++call.run().spawned_processes;
  }
  return outcome;
}
RECORDER_ALIAS(Comm_spawn_multiple)
#endif

#ifdef RECORDER_HAVE_Comm_split
RECORDER_EXPORT int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_split);
  Call call(Function::Comm_split, RECORDER_CALLER);
  if (!call) return real(comm, color, key, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, color, key, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, true);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_split)
#endif

#ifdef RECORDER_HAVE_Comm_split_type
RECORDER_EXPORT int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info,
                                        MPI_Comm* newcomm) {
  RECORDER_REAL(Comm_split_type);
  Call call(Function::Comm_split_type, RECORDER_CALLER);
  if (!call) return real(comm, split_type, key, info, newcomm);
  call.on(comm);
  call.enter();
  int outcome = real(comm, split_type, key, info, newcomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newcomm, true);
  }
  return outcome;
}
RECORDER_ALIAS(Comm_split_type)
#endif

#ifdef RECORDER_HAVE_Compare_and_swap
RECORDER_EXPORT int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr,
                                         void* result_addr, MPI_Datatype datatype, int target_rank,
                                         MPI_Aint target_disp, MPI_Win win) {
  RECORDER_REAL(Compare_and_swap);
  Call call(Function::Compare_and_swap, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win);
  call.window(win);
  call.peer(target_rank);
  call.data(1, datatype);
  call.enter();
  int outcome =
      real(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Compare_and_swap)
#endif

#ifdef RECORDER_HAVE_Dims_create
RECORDER_EXPORT int MPI_Dims_create(int nnodes, int ndims, int dims[]) {
  RECORDER_REAL(Dims_create);
  Call call(Function::Dims_create, RECORDER_CALLER);
  if (!call) return real(nnodes, ndims, dims);
  call.enter();
  int outcome = real(nnodes, ndims, dims);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Dims_create)
#endif

#ifdef RECORDER_HAVE_Dist_graph_create
RECORDER_EXPORT int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[],
                                          const int degrees[], const int destinations[],
                                          const int weights[], MPI_Info info, int reorder,
                                          MPI_Comm* comm_dist_graph) {
  RECORDER_REAL(Dist_graph_create);
  Call call(Function::Dist_graph_create, RECORDER_CALLER);
  if (!call)
    return real(comm_old, n, sources, degrees, destinations, weights, info, reorder,
                comm_dist_graph);
  call.on(comm_old);
  call.enter();
  int outcome =
      real(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *comm_dist_graph, false);
  }
  return outcome;
}
RECORDER_ALIAS(Dist_graph_create)
#endif

#ifdef RECORDER_HAVE_Dist_graph_create_adjacent
RECORDER_EXPORT int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree,
                                                   const int sources[], const int sourceweights[],
                                                   int outdegree, const int destinations[],
                                                   const int destweights[], MPI_Info info,
                                                   int reorder, MPI_Comm* comm_dist_graph) {
  RECORDER_REAL(Dist_graph_create_adjacent);
  Call call(Function::Dist_graph_create_adjacent, RECORDER_CALLER);
  if (!call)
    return real(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights,
                info, reorder, comm_dist_graph);
  call.on(comm_old);
  call.enter();
  int outcome = real(comm_old, indegree, sources, sourceweights, outdegree, destinations,
                     destweights, info, reorder, comm_dist_graph);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *comm_dist_graph, false);
  }
  return outcome;
}
RECORDER_ALIAS(Dist_graph_create_adjacent)
#endif

#ifdef RECORDER_HAVE_Dist_graph_neighbors
RECORDER_EXPORT int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[],
                                             int sourceweights[], int maxoutdegree,
                                             int destinations[], int destweights[]) {
  RECORDER_REAL(Dist_graph_neighbors);
  Call call(Function::Dist_graph_neighbors, RECORDER_CALLER);
  if (!call)
    return real(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights);
  call.on(comm);
  call.enter();
  int outcome =
      real(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations, destweights);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Dist_graph_neighbors)
#endif

#ifdef RECORDER_HAVE_Dist_graph_neighbors_count
RECORDER_EXPORT int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree,
                                                   int* weighted) {
  RECORDER_REAL(Dist_graph_neighbors_count);
  Call call(Function::Dist_graph_neighbors_count, RECORDER_CALLER);
  if (!call) return real(comm, indegree, outdegree, weighted);
  call.on(comm);
  call.enter();
  int outcome = real(comm, indegree, outdegree, weighted);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Dist_graph_neighbors_count)
#endif

#ifdef RECORDER_HAVE_Errhandler_free
RECORDER_EXPORT int MPI_Errhandler_free(MPI_Errhandler* errhandler) {
  RECORDER_REAL(Errhandler_free);
  Call call(Function::Errhandler_free, RECORDER_CALLER);
  if (!call) return real(errhandler);
  call.enter();
  int outcome = real(errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Errhandler_free)
#endif

#ifdef RECORDER_HAVE_Exscan
RECORDER_EXPORT int MPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Exscan);
  Call call(Function::Exscan, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Exscan)
#endif

#ifdef RECORDER_HAVE_Exscan_c
RECORDER_EXPORT int MPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Exscan_c);
  Call call(Function::Exscan_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Exscan_c)
#endif

#ifdef RECORDER_HAVE_Exscan_init
RECORDER_EXPORT int MPI_Exscan_init(const void* sendbuf, void* recvbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  RECORDER_REAL(Exscan_init);
  Call call(Function::Exscan_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Exscan_init)
#endif

#ifdef RECORDER_HAVE_Exscan_init_c
RECORDER_EXPORT int MPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Exscan_init_c);
  Call call(Function::Exscan_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Exscan_init_c)
#endif

#ifdef RECORDER_HAVE_Fetch_and_op
RECORDER_EXPORT int MPI_Fetch_and_op(const void* origin_addr, void* result_addr,
                                     MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                     MPI_Op op, MPI_Win win) {
  RECORDER_REAL(Fetch_and_op);
  Call call(Function::Fetch_and_op, RECORDER_CALLER);
  if (!call) return real(origin_addr, result_addr, datatype, target_rank, target_disp, op, win);
  call.window(win);
  call.peer(target_rank);
  call.data(1, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(origin_addr, result_addr, datatype, target_rank, target_disp, op, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Fetch_and_op)
#endif

#ifdef RECORDER_HAVE_File_call_errhandler
RECORDER_EXPORT int MPI_File_call_errhandler(MPI_File fh, int errorcode) {
  RECORDER_REAL(File_call_errhandler);
  Call call(Function::File_call_errhandler, RECORDER_CALLER);
  if (!call) return real(fh, errorcode);
  call.enter();
  int outcome = real(fh, errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_call_errhandler)
#endif

#ifdef RECORDER_HAVE_File_close
RECORDER_EXPORT int MPI_File_close(MPI_File* fh) {
  RECORDER_REAL(File_close);
  Call call(Function::File_close, RECORDER_CALLER);
  if (!call) return real(fh);
  call.enter();
  int outcome = real(fh);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_close)
#endif

#ifdef RECORDER_HAVE_File_create_errhandler
RECORDER_EXPORT int MPI_File_create_errhandler(MPI_File_errhandler_function* file_errhandler_fn,
                                               MPI_Errhandler* errhandler) {
  RECORDER_REAL(File_create_errhandler);
  Call call(Function::File_create_errhandler, RECORDER_CALLER);
  if (!call) return real(file_errhandler_fn, errhandler);
  call.enter();
  int outcome = real(file_errhandler_fn, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_create_errhandler)
#endif

#ifdef RECORDER_HAVE_File_delete
RECORDER_EXPORT int MPI_File_delete(const char* filename, MPI_Info info) {
  RECORDER_REAL(File_delete);
  Call call(Function::File_delete, RECORDER_CALLER);
  if (!call) return real(filename, info);
  call.enter();
  int outcome = real(filename, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_delete)
#endif

#ifdef RECORDER_HAVE_File_get_amode
RECORDER_EXPORT int MPI_File_get_amode(MPI_File fh, int* amode) {
  RECORDER_REAL(File_get_amode);
  Call call(Function::File_get_amode, RECORDER_CALLER);
  if (!call) return real(fh, amode);
  call.enter();
  int outcome = real(fh, amode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_amode)
#endif

#ifdef RECORDER_HAVE_File_get_atomicity
RECORDER_EXPORT int MPI_File_get_atomicity(MPI_File fh, int* flag) {
  RECORDER_REAL(File_get_atomicity);
  Call call(Function::File_get_atomicity, RECORDER_CALLER);
  if (!call) return real(fh, flag);
  call.enter();
  int outcome = real(fh, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_atomicity)
#endif

#ifdef RECORDER_HAVE_File_get_byte_offset
RECORDER_EXPORT int MPI_File_get_byte_offset(MPI_File fh, MPI_Offset offset, MPI_Offset* disp) {
  RECORDER_REAL(File_get_byte_offset);
  Call call(Function::File_get_byte_offset, RECORDER_CALLER);
  if (!call) return real(fh, offset, disp);
  call.enter();
  int outcome = real(fh, offset, disp);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_byte_offset)
#endif

#ifdef RECORDER_HAVE_File_get_errhandler
RECORDER_EXPORT int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* errhandler) {
  RECORDER_REAL(File_get_errhandler);
  Call call(Function::File_get_errhandler, RECORDER_CALLER);
  if (!call) return real(file, errhandler);
  call.enter();
  int outcome = real(file, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_errhandler)
#endif

#ifdef RECORDER_HAVE_File_get_group
RECORDER_EXPORT int MPI_File_get_group(MPI_File fh, MPI_Group* group) {
  RECORDER_REAL(File_get_group);
  Call call(Function::File_get_group, RECORDER_CALLER);
  if (!call) return real(fh, group);
  call.enter();
  int outcome = real(fh, group);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_group)
#endif

#ifdef RECORDER_HAVE_File_get_info
RECORDER_EXPORT int MPI_File_get_info(MPI_File fh, MPI_Info* info_used) {
  RECORDER_REAL(File_get_info);
  Call call(Function::File_get_info, RECORDER_CALLER);
  if (!call) return real(fh, info_used);
  call.enter();
  int outcome = real(fh, info_used);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_info)
#endif

#ifdef RECORDER_HAVE_File_get_position
RECORDER_EXPORT int MPI_File_get_position(MPI_File fh, MPI_Offset* offset) {
  RECORDER_REAL(File_get_position);
  Call call(Function::File_get_position, RECORDER_CALLER);
  if (!call) return real(fh, offset);
  call.enter();
  int outcome = real(fh, offset);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_position)
#endif

#ifdef RECORDER_HAVE_File_get_position_shared
RECORDER_EXPORT int MPI_File_get_position_shared(MPI_File fh, MPI_Offset* offset) {
  RECORDER_REAL(File_get_position_shared);
  Call call(Function::File_get_position_shared, RECORDER_CALLER);
  if (!call) return real(fh, offset);
  call.enter();
  int outcome = real(fh, offset);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_position_shared)
#endif

#ifdef RECORDER_HAVE_File_get_size
RECORDER_EXPORT int MPI_File_get_size(MPI_File fh, MPI_Offset* size) {
  RECORDER_REAL(File_get_size);
  Call call(Function::File_get_size, RECORDER_CALLER);
  if (!call) return real(fh, size);
  call.enter();
  int outcome = real(fh, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_size)
#endif

#ifdef RECORDER_HAVE_File_get_type_extent
RECORDER_EXPORT int MPI_File_get_type_extent(MPI_File fh, MPI_Datatype datatype, MPI_Aint* extent) {
  RECORDER_REAL(File_get_type_extent);
  Call call(Function::File_get_type_extent, RECORDER_CALLER);
  if (!call) return real(fh, datatype, extent);
  call.enter();
  int outcome = real(fh, datatype, extent);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_type_extent)
#endif

#ifdef RECORDER_HAVE_File_get_type_extent_c
RECORDER_EXPORT int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype,
                                               MPI_Count* extent) {
  RECORDER_REAL(File_get_type_extent_c);
  Call call(Function::File_get_type_extent_c, RECORDER_CALLER);
  if (!call) return real(fh, datatype, extent);
  call.enter();
  int outcome = real(fh, datatype, extent);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_type_extent_c)
#endif

#ifdef RECORDER_HAVE_File_get_view
RECORDER_EXPORT int MPI_File_get_view(MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype,
                                      MPI_Datatype* filetype, char* datarep) {
  RECORDER_REAL(File_get_view);
  Call call(Function::File_get_view, RECORDER_CALLER);
  if (!call) return real(fh, disp, etype, filetype, datarep);
  call.enter();
  int outcome = real(fh, disp, etype, filetype, datarep);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_get_view)
#endif

#ifdef RECORDER_HAVE_File_iread
RECORDER_EXPORT int MPI_File_iread(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                   MPI_Request* request) {
  RECORDER_REAL(File_iread);
  Call call(Function::File_iread, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread)
#endif

#ifdef RECORDER_HAVE_File_iread_c
RECORDER_EXPORT int MPI_File_iread_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                     MPI_Request* request) {
  RECORDER_REAL(File_iread_c);
  Call call(Function::File_iread_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_c)
#endif

#ifdef RECORDER_HAVE_File_iread_all
RECORDER_EXPORT int MPI_File_iread_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                       MPI_Request* request) {
  RECORDER_REAL(File_iread_all);
  Call call(Function::File_iread_all, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_all)
#endif

#ifdef RECORDER_HAVE_File_iread_all_c
RECORDER_EXPORT int MPI_File_iread_all_c(MPI_File fh, void* buf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iread_all_c);
  Call call(Function::File_iread_all_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_all_c)
#endif

#ifdef RECORDER_HAVE_File_iread_at
RECORDER_EXPORT int MPI_File_iread_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                      MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iread_at);
  Call call(Function::File_iread_at, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_at)
#endif

#ifdef RECORDER_HAVE_File_iread_at_c
RECORDER_EXPORT int MPI_File_iread_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iread_at_c);
  Call call(Function::File_iread_at_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_at_c)
#endif

#ifdef RECORDER_HAVE_File_iread_at_all
RECORDER_EXPORT int MPI_File_iread_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                          MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iread_at_all);
  Call call(Function::File_iread_at_all, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_at_all)
#endif

#ifdef RECORDER_HAVE_File_iread_at_all_c
RECORDER_EXPORT int MPI_File_iread_at_all_c(MPI_File fh, MPI_Offset offset, void* buf,
                                            MPI_Count count, MPI_Datatype datatype,
                                            MPI_Request* request) {
  RECORDER_REAL(File_iread_at_all_c);
  Call call(Function::File_iread_at_all_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_at_all_c)
#endif

#ifdef RECORDER_HAVE_File_iread_shared
RECORDER_EXPORT int MPI_File_iread_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                          MPI_Request* request) {
  RECORDER_REAL(File_iread_shared);
  Call call(Function::File_iread_shared, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_shared)
#endif

#ifdef RECORDER_HAVE_File_iread_shared_c
RECORDER_EXPORT int MPI_File_iread_shared_c(MPI_File fh, void* buf, MPI_Count count,
                                            MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iread_shared_c);
  Call call(Function::File_iread_shared_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iread_shared_c)
#endif

#ifdef RECORDER_HAVE_File_iwrite
RECORDER_EXPORT int MPI_File_iwrite(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                    MPI_Request* request) {
  RECORDER_REAL(File_iwrite);
  Call call(Function::File_iwrite, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite)
#endif

#ifdef RECORDER_HAVE_File_iwrite_c
RECORDER_EXPORT int MPI_File_iwrite_c(MPI_File fh, const void* buf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_c);
  Call call(Function::File_iwrite_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_c)
#endif

#ifdef RECORDER_HAVE_File_iwrite_all
RECORDER_EXPORT int MPI_File_iwrite_all(MPI_File fh, const void* buf, int count,
                                        MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_all);
  Call call(Function::File_iwrite_all, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_all)
#endif

#ifdef RECORDER_HAVE_File_iwrite_all_c
RECORDER_EXPORT int MPI_File_iwrite_all_c(MPI_File fh, const void* buf, MPI_Count count,
                                          MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_all_c);
  Call call(Function::File_iwrite_all_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_all_c)
#endif

#ifdef RECORDER_HAVE_File_iwrite_at
RECORDER_EXPORT int MPI_File_iwrite_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_at);
  Call call(Function::File_iwrite_at, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_at)
#endif

#ifdef RECORDER_HAVE_File_iwrite_at_c
RECORDER_EXPORT int MPI_File_iwrite_at_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                         MPI_Count count, MPI_Datatype datatype,
                                         MPI_Request* request) {
  RECORDER_REAL(File_iwrite_at_c);
  Call call(Function::File_iwrite_at_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_at_c)
#endif

#ifdef RECORDER_HAVE_File_iwrite_at_all
RECORDER_EXPORT int MPI_File_iwrite_at_all(MPI_File fh, MPI_Offset offset, const void* buf,
                                           int count, MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_at_all);
  Call call(Function::File_iwrite_at_all, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_at_all)
#endif

#ifdef RECORDER_HAVE_File_iwrite_at_all_c
RECORDER_EXPORT int MPI_File_iwrite_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                             MPI_Count count, MPI_Datatype datatype,
                                             MPI_Request* request) {
  RECORDER_REAL(File_iwrite_at_all_c);
  Call call(Function::File_iwrite_at_all_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_at_all_c)
#endif

#ifdef RECORDER_HAVE_File_iwrite_shared
RECORDER_EXPORT int MPI_File_iwrite_shared(MPI_File fh, const void* buf, int count,
                                           MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_shared);
  Call call(Function::File_iwrite_shared, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_shared)
#endif

#ifdef RECORDER_HAVE_File_iwrite_shared_c
RECORDER_EXPORT int MPI_File_iwrite_shared_c(MPI_File fh, const void* buf, MPI_Count count,
                                             MPI_Datatype datatype, MPI_Request* request) {
  RECORDER_REAL(File_iwrite_shared_c);
  Call call(Function::File_iwrite_shared_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, request);
  call.enter();
  int outcome = real(fh, buf, count, datatype, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_iwrite_shared_c)
#endif

#ifdef RECORDER_HAVE_File_open
RECORDER_EXPORT int MPI_File_open(MPI_Comm comm, const char* filename, int amode, MPI_Info info,
                                  MPI_File* fh) {
  RECORDER_REAL(File_open);
  Call call(Function::File_open, RECORDER_CALLER);
  if (!call) return real(comm, filename, amode, info, fh);
  call.on(comm);
  call.enter();
  int outcome = real(comm, filename, amode, info, fh);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_open)
#endif

#ifdef RECORDER_HAVE_File_preallocate
RECORDER_EXPORT int MPI_File_preallocate(MPI_File fh, MPI_Offset size) {
  RECORDER_REAL(File_preallocate);
  Call call(Function::File_preallocate, RECORDER_CALLER);
  if (!call) return real(fh, size);
  call.enter();
  int outcome = real(fh, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_preallocate)
#endif

#ifdef RECORDER_HAVE_File_read
RECORDER_EXPORT int MPI_File_read(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                  MPI_Status* status) {
  RECORDER_REAL(File_read);
  Call call(Function::File_read, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read)
#endif

#ifdef RECORDER_HAVE_File_read_c
RECORDER_EXPORT int MPI_File_read_c(MPI_File fh, void* buf, MPI_Count count, MPI_Datatype datatype,
                                    MPI_Status* status) {
  RECORDER_REAL(File_read_c);
  Call call(Function::File_read_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_c)
#endif

#ifdef RECORDER_HAVE_File_read_all
RECORDER_EXPORT int MPI_File_read_all(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                      MPI_Status* status) {
  RECORDER_REAL(File_read_all);
  Call call(Function::File_read_all, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_all)
#endif

#ifdef RECORDER_HAVE_File_read_all_c
RECORDER_EXPORT int MPI_File_read_all_c(MPI_File fh, void* buf, MPI_Count count,
                                        MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_all_c);
  Call call(Function::File_read_all_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_all_c)
#endif

#ifdef RECORDER_HAVE_File_read_all_begin
RECORDER_EXPORT int MPI_File_read_all_begin(MPI_File fh, void* buf, int count,
                                            MPI_Datatype datatype) {
  RECORDER_REAL(File_read_all_begin);
  Call call(Function::File_read_all_begin, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_all_begin)
#endif

#ifdef RECORDER_HAVE_File_read_all_begin_c
RECORDER_EXPORT int MPI_File_read_all_begin_c(MPI_File fh, void* buf, MPI_Count count,
                                              MPI_Datatype datatype) {
  RECORDER_REAL(File_read_all_begin_c);
  Call call(Function::File_read_all_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_all_begin_c)
#endif

#ifdef RECORDER_HAVE_File_read_all_end
RECORDER_EXPORT int MPI_File_read_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  RECORDER_REAL(File_read_all_end);
  Call call(Function::File_read_all_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_all_end)
#endif

#ifdef RECORDER_HAVE_File_read_at
RECORDER_EXPORT int MPI_File_read_at(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                     MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_at);
  Call call(Function::File_read_at, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at)
#endif

#ifdef RECORDER_HAVE_File_read_at_c
RECORDER_EXPORT int MPI_File_read_at_c(MPI_File fh, MPI_Offset offset, void* buf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_at_c);
  Call call(Function::File_read_at_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_c)
#endif

#ifdef RECORDER_HAVE_File_read_at_all
RECORDER_EXPORT int MPI_File_read_at_all(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                         MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_at_all);
  Call call(Function::File_read_at_all, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_all)
#endif

#ifdef RECORDER_HAVE_File_read_at_all_c
RECORDER_EXPORT int MPI_File_read_at_all_c(MPI_File fh, MPI_Offset offset, void* buf,
                                           MPI_Count count, MPI_Datatype datatype,
                                           MPI_Status* status) {
  RECORDER_REAL(File_read_at_all_c);
  Call call(Function::File_read_at_all_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_all_c)
#endif

#ifdef RECORDER_HAVE_File_read_at_all_begin
RECORDER_EXPORT int MPI_File_read_at_all_begin(MPI_File fh, MPI_Offset offset, void* buf, int count,
                                               MPI_Datatype datatype) {
  RECORDER_REAL(File_read_at_all_begin);
  Call call(Function::File_read_at_all_begin, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_all_begin)
#endif

#ifdef RECORDER_HAVE_File_read_at_all_begin_c
RECORDER_EXPORT int MPI_File_read_at_all_begin_c(MPI_File fh, MPI_Offset offset, void* buf,
                                                 MPI_Count count, MPI_Datatype datatype) {
  RECORDER_REAL(File_read_at_all_begin_c);
  Call call(Function::File_read_at_all_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_all_begin_c)
#endif

#ifdef RECORDER_HAVE_File_read_at_all_end
RECORDER_EXPORT int MPI_File_read_at_all_end(MPI_File fh, void* buf, MPI_Status* status) {
  RECORDER_REAL(File_read_at_all_end);
  Call call(Function::File_read_at_all_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_at_all_end)
#endif

#ifdef RECORDER_HAVE_File_read_ordered
RECORDER_EXPORT int MPI_File_read_ordered(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                          MPI_Status* status) {
  RECORDER_REAL(File_read_ordered);
  Call call(Function::File_read_ordered, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_ordered)
#endif

#ifdef RECORDER_HAVE_File_read_ordered_c
RECORDER_EXPORT int MPI_File_read_ordered_c(MPI_File fh, void* buf, MPI_Count count,
                                            MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_ordered_c);
  Call call(Function::File_read_ordered_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_ordered_c)
#endif

#ifdef RECORDER_HAVE_File_read_ordered_begin
RECORDER_EXPORT int MPI_File_read_ordered_begin(MPI_File fh, void* buf, int count,
                                                MPI_Datatype datatype) {
  RECORDER_REAL(File_read_ordered_begin);
  Call call(Function::File_read_ordered_begin, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_ordered_begin)
#endif

#ifdef RECORDER_HAVE_File_read_ordered_begin_c
RECORDER_EXPORT int MPI_File_read_ordered_begin_c(MPI_File fh, void* buf, MPI_Count count,
                                                  MPI_Datatype datatype) {
  RECORDER_REAL(File_read_ordered_begin_c);
  Call call(Function::File_read_ordered_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_ordered_begin_c)
#endif

#ifdef RECORDER_HAVE_File_read_ordered_end
RECORDER_EXPORT int MPI_File_read_ordered_end(MPI_File fh, void* buf, MPI_Status* status) {
  RECORDER_REAL(File_read_ordered_end);
  Call call(Function::File_read_ordered_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_ordered_end)
#endif

#ifdef RECORDER_HAVE_File_read_shared
RECORDER_EXPORT int MPI_File_read_shared(MPI_File fh, void* buf, int count, MPI_Datatype datatype,
                                         MPI_Status* status) {
  RECORDER_REAL(File_read_shared);
  Call call(Function::File_read_shared, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_shared)
#endif

#ifdef RECORDER_HAVE_File_read_shared_c
RECORDER_EXPORT int MPI_File_read_shared_c(MPI_File fh, void* buf, MPI_Count count,
                                           MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_read_shared_c);
  Call call(Function::File_read_shared_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_read_shared_c)
#endif

#ifdef RECORDER_HAVE_File_seek
RECORDER_EXPORT int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
  RECORDER_REAL(File_seek);
  Call call(Function::File_seek, RECORDER_CALLER);
  if (!call) return real(fh, offset, whence);
  call.enter();
  int outcome = real(fh, offset, whence);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_seek)
#endif

#ifdef RECORDER_HAVE_File_seek_shared
RECORDER_EXPORT int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
  RECORDER_REAL(File_seek_shared);
  Call call(Function::File_seek_shared, RECORDER_CALLER);
  if (!call) return real(fh, offset, whence);
  call.enter();
  int outcome = real(fh, offset, whence);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_seek_shared)
#endif

#ifdef RECORDER_HAVE_File_set_atomicity
RECORDER_EXPORT int MPI_File_set_atomicity(MPI_File fh, int flag) {
  RECORDER_REAL(File_set_atomicity);
  Call call(Function::File_set_atomicity, RECORDER_CALLER);
  if (!call) return real(fh, flag);
  call.enter();
  int outcome = real(fh, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_set_atomicity)
#endif

#ifdef RECORDER_HAVE_File_set_errhandler
RECORDER_EXPORT int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler) {
  RECORDER_REAL(File_set_errhandler);
  Call call(Function::File_set_errhandler, RECORDER_CALLER);
  if (!call) return real(file, errhandler);
  call.enter();
  int outcome = real(file, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_set_errhandler)
#endif

#ifdef RECORDER_HAVE_File_set_info
RECORDER_EXPORT int MPI_File_set_info(MPI_File fh, MPI_Info info) {
  RECORDER_REAL(File_set_info);
  Call call(Function::File_set_info, RECORDER_CALLER);
  if (!call) return real(fh, info);
  call.enter();
  int outcome = real(fh, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_set_info)
#endif

#ifdef RECORDER_HAVE_File_set_size
RECORDER_EXPORT int MPI_File_set_size(MPI_File fh, MPI_Offset size) {
  RECORDER_REAL(File_set_size);
  Call call(Function::File_set_size, RECORDER_CALLER);
  if (!call) return real(fh, size);
  call.enter();
  int outcome = real(fh, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_set_size)
#endif

#ifdef RECORDER_HAVE_File_set_view
RECORDER_EXPORT int MPI_File_set_view(MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
                                      MPI_Datatype filetype, const char* datarep, MPI_Info info) {
  RECORDER_REAL(File_set_view);
  Call call(Function::File_set_view, RECORDER_CALLER);
  if (!call) return real(fh, disp, etype, filetype, datarep, info);
  call.enter();
  int outcome = real(fh, disp, etype, filetype, datarep, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_set_view)
#endif

#ifdef RECORDER_HAVE_File_sync
RECORDER_EXPORT int MPI_File_sync(MPI_File fh) {
  RECORDER_REAL(File_sync);
  Call call(Function::File_sync, RECORDER_CALLER);
  if (!call) return real(fh);
  call.enter();
  int outcome = real(fh);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_sync)
#endif

#ifdef RECORDER_HAVE_File_write
RECORDER_EXPORT int MPI_File_write(MPI_File fh, const void* buf, int count, MPI_Datatype datatype,
                                   MPI_Status* status) {
  RECORDER_REAL(File_write);
  Call call(Function::File_write, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write)
#endif

#ifdef RECORDER_HAVE_File_write_c
RECORDER_EXPORT int MPI_File_write_c(MPI_File fh, const void* buf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_c);
  Call call(Function::File_write_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_c)
#endif

#ifdef RECORDER_HAVE_File_write_all
RECORDER_EXPORT int MPI_File_write_all(MPI_File fh, const void* buf, int count,
                                       MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_all);
  Call call(Function::File_write_all, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_all)
#endif

#ifdef RECORDER_HAVE_File_write_all_c
RECORDER_EXPORT int MPI_File_write_all_c(MPI_File fh, const void* buf, MPI_Count count,
                                         MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_all_c);
  Call call(Function::File_write_all_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_all_c)
#endif

#ifdef RECORDER_HAVE_File_write_all_begin
RECORDER_EXPORT int MPI_File_write_all_begin(MPI_File fh, const void* buf, int count,
                                             MPI_Datatype datatype) {
  RECORDER_REAL(File_write_all_begin);
  Call call(Function::File_write_all_begin, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_all_begin)
#endif

#ifdef RECORDER_HAVE_File_write_all_begin_c
RECORDER_EXPORT int MPI_File_write_all_begin_c(MPI_File fh, const void* buf, MPI_Count count,
                                               MPI_Datatype datatype) {
  RECORDER_REAL(File_write_all_begin_c);
  Call call(Function::File_write_all_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_all_begin_c)
#endif

#ifdef RECORDER_HAVE_File_write_all_end
RECORDER_EXPORT int MPI_File_write_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  RECORDER_REAL(File_write_all_end);
  Call call(Function::File_write_all_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_all_end)
#endif

#ifdef RECORDER_HAVE_File_write_at
RECORDER_EXPORT int MPI_File_write_at(MPI_File fh, MPI_Offset offset, const void* buf, int count,
                                      MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_at);
  Call call(Function::File_write_at, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at)
#endif

#ifdef RECORDER_HAVE_File_write_at_c
RECORDER_EXPORT int MPI_File_write_at_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                        MPI_Count count, MPI_Datatype datatype,
                                        MPI_Status* status) {
  RECORDER_REAL(File_write_at_c);
  Call call(Function::File_write_at_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_c)
#endif

#ifdef RECORDER_HAVE_File_write_at_all
RECORDER_EXPORT int MPI_File_write_at_all(MPI_File fh, MPI_Offset offset, const void* buf,
                                          int count, MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_at_all);
  Call call(Function::File_write_at_all, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_all)
#endif

#ifdef RECORDER_HAVE_File_write_at_all_c
RECORDER_EXPORT int MPI_File_write_at_all_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                            MPI_Count count, MPI_Datatype datatype,
                                            MPI_Status* status) {
  RECORDER_REAL(File_write_at_all_c);
  Call call(Function::File_write_at_all_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_all_c)
#endif

#ifdef RECORDER_HAVE_File_write_at_all_begin
RECORDER_EXPORT int MPI_File_write_at_all_begin(MPI_File fh, MPI_Offset offset, const void* buf,
                                                int count, MPI_Datatype datatype) {
  RECORDER_REAL(File_write_at_all_begin);
  Call call(Function::File_write_at_all_begin, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_all_begin)
#endif

#ifdef RECORDER_HAVE_File_write_at_all_begin_c
RECORDER_EXPORT int MPI_File_write_at_all_begin_c(MPI_File fh, MPI_Offset offset, const void* buf,
                                                  MPI_Count count, MPI_Datatype datatype) {
  RECORDER_REAL(File_write_at_all_begin_c);
  Call call(Function::File_write_at_all_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, offset, buf, count, datatype);
  call.enter();
  int outcome = real(fh, offset, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_all_begin_c)
#endif

#ifdef RECORDER_HAVE_File_write_at_all_end
RECORDER_EXPORT int MPI_File_write_at_all_end(MPI_File fh, const void* buf, MPI_Status* status) {
  RECORDER_REAL(File_write_at_all_end);
  Call call(Function::File_write_at_all_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_at_all_end)
#endif

#ifdef RECORDER_HAVE_File_write_ordered
RECORDER_EXPORT int MPI_File_write_ordered(MPI_File fh, const void* buf, int count,
                                           MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_ordered);
  Call call(Function::File_write_ordered, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_ordered)
#endif

#ifdef RECORDER_HAVE_File_write_ordered_c
RECORDER_EXPORT int MPI_File_write_ordered_c(MPI_File fh, const void* buf, MPI_Count count,
                                             MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_ordered_c);
  Call call(Function::File_write_ordered_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_ordered_c)
#endif

#ifdef RECORDER_HAVE_File_write_ordered_begin
RECORDER_EXPORT int MPI_File_write_ordered_begin(MPI_File fh, const void* buf, int count,
                                                 MPI_Datatype datatype) {
  RECORDER_REAL(File_write_ordered_begin);
  Call call(Function::File_write_ordered_begin, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_ordered_begin)
#endif

#ifdef RECORDER_HAVE_File_write_ordered_begin_c
RECORDER_EXPORT int MPI_File_write_ordered_begin_c(MPI_File fh, const void* buf, MPI_Count count,
                                                   MPI_Datatype datatype) {
  RECORDER_REAL(File_write_ordered_begin_c);
  Call call(Function::File_write_ordered_begin_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype);
  call.enter();
  int outcome = real(fh, buf, count, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_ordered_begin_c)
#endif

#ifdef RECORDER_HAVE_File_write_ordered_end
RECORDER_EXPORT int MPI_File_write_ordered_end(MPI_File fh, const void* buf, MPI_Status* status) {
  RECORDER_REAL(File_write_ordered_end);
  Call call(Function::File_write_ordered_end, RECORDER_CALLER);
  if (!call) return real(fh, buf, status);
  call.enter();
  int outcome = real(fh, buf, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_ordered_end)
#endif

#ifdef RECORDER_HAVE_File_write_shared
RECORDER_EXPORT int MPI_File_write_shared(MPI_File fh, const void* buf, int count,
                                          MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_shared);
  Call call(Function::File_write_shared, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_shared)
#endif

#ifdef RECORDER_HAVE_File_write_shared_c
RECORDER_EXPORT int MPI_File_write_shared_c(MPI_File fh, const void* buf, MPI_Count count,
                                            MPI_Datatype datatype, MPI_Status* status) {
  RECORDER_REAL(File_write_shared_c);
  Call call(Function::File_write_shared_c, RECORDER_CALLER);
  if (!call) return real(fh, buf, count, datatype, status);
  call.enter();
  int outcome = real(fh, buf, count, datatype, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(File_write_shared_c)
#endif

#ifdef RECORDER_HAVE_Free_mem
RECORDER_EXPORT int MPI_Free_mem(void* base) {
  RECORDER_REAL(Free_mem);
  Call call(Function::Free_mem, RECORDER_CALLER);
  if (!call) return real(base);
  call.enter();
  int outcome = real(base);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Free_mem)
#endif

#ifdef RECORDER_HAVE_Gather
RECORDER_EXPORT int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               MPI_Comm comm) {
  RECORDER_REAL(Gather);
  Call call(Function::Gather, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Gather)
#endif

#ifdef RECORDER_HAVE_Gather_c
RECORDER_EXPORT int MPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                 int root, MPI_Comm comm) {
  RECORDER_REAL(Gather_c);
  Call call(Function::Gather_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Gather_c)
#endif

#ifdef RECORDER_HAVE_Gather_init
RECORDER_EXPORT int MPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                    MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Gather_init);
  Call call(Function::Gather_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Gather_init)
#endif

#ifdef RECORDER_HAVE_Gather_init_c
RECORDER_EXPORT int MPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                      MPI_Request* request) {
  RECORDER_REAL(Gather_init_c);
  Call call(Function::Gather_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Gather_init_c)
#endif

#ifdef RECORDER_HAVE_Gatherv
RECORDER_EXPORT int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const int recvcounts[], const int displs[],
                                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  RECORDER_REAL(Gatherv);
  Call call(Function::Gatherv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Gatherv)
#endif

#ifdef RECORDER_HAVE_Gatherv_c
RECORDER_EXPORT int MPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, const MPI_Count recvcounts[],
                                  const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                  MPI_Comm comm) {
  RECORDER_REAL(Gatherv_c);
  Call call(Function::Gatherv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Gatherv_c)
#endif

#ifdef RECORDER_HAVE_Gatherv_init
RECORDER_EXPORT int MPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, const int recvcounts[], const int displs[],
                                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  RECORDER_REAL(Gatherv_init);
  Call call(Function::Gatherv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Gatherv_init)
#endif

#ifdef RECORDER_HAVE_Gatherv_init_c
RECORDER_EXPORT int MPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf,
                                       const MPI_Count recvcounts[], const MPI_Aint displs[],
                                       MPI_Datatype recvtype, int root, MPI_Comm comm,
                                       MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Gatherv_init_c);
  Call call(Function::Gatherv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Gatherv_init_c)
#endif

#ifdef RECORDER_HAVE_Get
RECORDER_EXPORT int MPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Win win) {
  RECORDER_REAL(Get);
  Call call(Function::Get, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kGet, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Get)
#endif

#ifdef RECORDER_HAVE_Get_c
RECORDER_EXPORT int MPI_Get_c(void* origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  RECORDER_REAL(Get_c);
  Call call(Function::Get_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kGet, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Get_c)
#endif

#ifdef RECORDER_HAVE_Get_accumulate
RECORDER_EXPORT int MPI_Get_accumulate(const void* origin_addr, int origin_count,
                                       MPI_Datatype origin_datatype, void* result_addr,
                                       int result_count, MPI_Datatype result_datatype,
                                       int target_rank, MPI_Aint target_disp, int target_count,
                                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  RECORDER_REAL(Get_accumulate);
  Call call(Function::Get_accumulate, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome =
      real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Get_accumulate)
#endif

#ifdef RECORDER_HAVE_Get_accumulate_c
RECORDER_EXPORT int MPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                         MPI_Datatype origin_datatype, void* result_addr,
                                         MPI_Count result_count, MPI_Datatype result_datatype,
                                         int target_rank, MPI_Aint target_disp,
                                         MPI_Count target_count, MPI_Datatype target_datatype,
                                         MPI_Op op, MPI_Win win) {
  RECORDER_REAL(Get_accumulate_c);
  Call call(Function::Get_accumulate_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome =
      real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Get_accumulate_c)
#endif

#ifdef RECORDER_HAVE_Get_hw_resource_info
RECORDER_EXPORT int MPI_Get_hw_resource_info(MPI_Info* hw_info) {
  RECORDER_REAL(Get_hw_resource_info);
  Call call(Function::Get_hw_resource_info, RECORDER_CALLER);
  if (!call) return real(hw_info);
  call.enter();
  int outcome = real(hw_info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Get_hw_resource_info)
#endif

#ifdef RECORDER_HAVE_Graph_create
RECORDER_EXPORT int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[],
                                     const int edges[], int reorder, MPI_Comm* comm_graph) {
  RECORDER_REAL(Graph_create);
  Call call(Function::Graph_create, RECORDER_CALLER);
  if (!call) return real(comm_old, nnodes, index, edges, reorder, comm_graph);
  call.on(comm_old);
  call.enter();
  int outcome = real(comm_old, nnodes, index, edges, reorder, comm_graph);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *comm_graph, false);
  }
  return outcome;
}
RECORDER_ALIAS(Graph_create)
#endif

#ifdef RECORDER_HAVE_Graph_get
RECORDER_EXPORT int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[],
                                  int edges[]) {
  RECORDER_REAL(Graph_get);
  Call call(Function::Graph_get, RECORDER_CALLER);
  if (!call) return real(comm, maxindex, maxedges, index, edges);
  call.on(comm);
  call.enter();
  int outcome = real(comm, maxindex, maxedges, index, edges);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Graph_get)
#endif

#ifdef RECORDER_HAVE_Graph_map
RECORDER_EXPORT int MPI_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[],
                                  int* newrank) {
  RECORDER_REAL(Graph_map);
  Call call(Function::Graph_map, RECORDER_CALLER);
  if (!call) return real(comm, nnodes, index, edges, newrank);
  call.on(comm);
  call.enter();
  int outcome = real(comm, nnodes, index, edges, newrank);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Graph_map)
#endif

#ifdef RECORDER_HAVE_Graph_neighbors
RECORDER_EXPORT int MPI_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors,
                                        int neighbors[]) {
  RECORDER_REAL(Graph_neighbors);
  Call call(Function::Graph_neighbors, RECORDER_CALLER);
  if (!call) return real(comm, rank, maxneighbors, neighbors);
  call.on(comm);
  call.enter();
  int outcome = real(comm, rank, maxneighbors, neighbors);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Graph_neighbors)
#endif

#ifdef RECORDER_HAVE_Graph_neighbors_count
RECORDER_EXPORT int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* nneighbors) {
  RECORDER_REAL(Graph_neighbors_count);
  Call call(Function::Graph_neighbors_count, RECORDER_CALLER);
  if (!call) return real(comm, rank, nneighbors);
  call.on(comm);
  call.enter();
  int outcome = real(comm, rank, nneighbors);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Graph_neighbors_count)
#endif

#ifdef RECORDER_HAVE_Graphdims_get
RECORDER_EXPORT int MPI_Graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) {
  RECORDER_REAL(Graphdims_get);
  Call call(Function::Graphdims_get, RECORDER_CALLER);
  if (!call) return real(comm, nnodes, nedges);
  call.on(comm);
  call.enter();
  int outcome = real(comm, nnodes, nedges);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Graphdims_get)
#endif

#ifdef RECORDER_HAVE_Grequest_complete
RECORDER_EXPORT int MPI_Grequest_complete(MPI_Request request) {
  RECORDER_REAL(Grequest_complete);
  Call call(Function::Grequest_complete, RECORDER_CALLER);
  if (!call) return real(request);
  call.enter();
  int outcome = real(request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Grequest_complete)
#endif

#ifdef RECORDER_HAVE_Grequest_start
RECORDER_EXPORT int MPI_Grequest_start(MPI_Grequest_query_function* query_fn,
                                       MPI_Grequest_free_function* free_fn,
                                       MPI_Grequest_cancel_function* cancel_fn, void* extra_state,
                                       MPI_Request* request) {
  RECORDER_REAL(Grequest_start);
  Call call(Function::Grequest_start, RECORDER_CALLER);
  if (!call) return real(query_fn, free_fn, cancel_fn, extra_state, request);
  call.enter();
  int outcome = real(query_fn, free_fn, cancel_fn, extra_state, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Grequest_start)
#endif

#ifdef RECORDER_HAVE_Group_compare
RECORDER_EXPORT int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int* result) {
  RECORDER_REAL(Group_compare);
  Call call(Function::Group_compare, RECORDER_CALLER);
  if (!call) return real(group1, group2, result);
  call.enter();
  int outcome = real(group1, group2, result);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_compare)
#endif

#ifdef RECORDER_HAVE_Group_difference
RECORDER_EXPORT int MPI_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  RECORDER_REAL(Group_difference);
  Call call(Function::Group_difference, RECORDER_CALLER);
  if (!call) return real(group1, group2, newgroup);
  call.enter();
  int outcome = real(group1, group2, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_difference)
#endif

#ifdef RECORDER_HAVE_Group_excl
RECORDER_EXPORT int MPI_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  RECORDER_REAL(Group_excl);
  Call call(Function::Group_excl, RECORDER_CALLER);
  if (!call) return real(group, n, ranks, newgroup);
  call.enter();
  int outcome = real(group, n, ranks, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_excl)
#endif

#ifdef RECORDER_HAVE_Group_free
RECORDER_EXPORT int MPI_Group_free(MPI_Group* group) {
  RECORDER_REAL(Group_free);
  Call call(Function::Group_free, RECORDER_CALLER);
  if (!call) return real(group);
  call.enter();
  int outcome = real(group);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_free)
#endif

#ifdef RECORDER_HAVE_Group_from_session_pset
RECORDER_EXPORT int MPI_Group_from_session_pset(MPI_Session session, const char* pset_name,
                                                MPI_Group* newgroup) {
  RECORDER_REAL(Group_from_session_pset);
  Call call(Function::Group_from_session_pset, RECORDER_CALLER);
  if (!call) return real(session, pset_name, newgroup);
  call.enter();
  int outcome = real(session, pset_name, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_from_session_pset)
#endif

#ifdef RECORDER_HAVE_Group_incl
RECORDER_EXPORT int MPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* newgroup) {
  RECORDER_REAL(Group_incl);
  Call call(Function::Group_incl, RECORDER_CALLER);
  if (!call) return real(group, n, ranks, newgroup);
  call.enter();
  int outcome = real(group, n, ranks, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_incl)
#endif

#ifdef RECORDER_HAVE_Group_intersection
RECORDER_EXPORT int MPI_Group_intersection(MPI_Group group1, MPI_Group group2,
                                           MPI_Group* newgroup) {
  RECORDER_REAL(Group_intersection);
  Call call(Function::Group_intersection, RECORDER_CALLER);
  if (!call) return real(group1, group2, newgroup);
  call.enter();
  int outcome = real(group1, group2, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_intersection)
#endif

#ifdef RECORDER_HAVE_Group_range_excl
RECORDER_EXPORT int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3],
                                         MPI_Group* newgroup) {
  RECORDER_REAL(Group_range_excl);
  Call call(Function::Group_range_excl, RECORDER_CALLER);
  if (!call) return real(group, n, ranges, newgroup);
  call.enter();
  int outcome = real(group, n, ranges, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_range_excl)
#endif

#ifdef RECORDER_HAVE_Group_range_incl
RECORDER_EXPORT int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3],
                                         MPI_Group* newgroup) {
  RECORDER_REAL(Group_range_incl);
  Call call(Function::Group_range_incl, RECORDER_CALLER);
  if (!call) return real(group, n, ranges, newgroup);
  call.enter();
  int outcome = real(group, n, ranges, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_range_incl)
#endif

#ifdef RECORDER_HAVE_Group_rank
RECORDER_EXPORT int MPI_Group_rank(MPI_Group group, int* rank) {
  RECORDER_REAL(Group_rank);
  Call call(Function::Group_rank, RECORDER_CALLER);
  if (!call) return real(group, rank);
  call.enter();
  int outcome = real(group, rank);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_rank)
#endif

#ifdef RECORDER_HAVE_Group_size
RECORDER_EXPORT int MPI_Group_size(MPI_Group group, int* size) {
  RECORDER_REAL(Group_size);
  Call call(Function::Group_size, RECORDER_CALLER);
  if (!call) return real(group, size);
  call.enter();
  int outcome = real(group, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_size)
#endif

#ifdef RECORDER_HAVE_Group_translate_ranks
RECORDER_EXPORT int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[],
                                              MPI_Group group2, int ranks2[]) {
  RECORDER_REAL(Group_translate_ranks);
  Call call(Function::Group_translate_ranks, RECORDER_CALLER);
  if (!call) return real(group1, n, ranks1, group2, ranks2);
  call.enter();
  int outcome = real(group1, n, ranks1, group2, ranks2);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_translate_ranks)
#endif

#ifdef RECORDER_HAVE_Group_union
RECORDER_EXPORT int MPI_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  RECORDER_REAL(Group_union);
  Call call(Function::Group_union, RECORDER_CALLER);
  if (!call) return real(group1, group2, newgroup);
  call.enter();
  int outcome = real(group1, group2, newgroup);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Group_union)
#endif

#ifdef RECORDER_HAVE_Iallgather
RECORDER_EXPORT int MPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                   MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iallgather);
  Call call(Function::Iallgather, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallgather)
#endif

#ifdef RECORDER_HAVE_Iallgather_c
RECORDER_EXPORT int MPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iallgather_c);
  Call call(Function::Iallgather_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallgather_c)
#endif

#ifdef RECORDER_HAVE_Iallgatherv
RECORDER_EXPORT int MPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const int recvcounts[], const int displs[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iallgatherv);
  Call call(Function::Iallgatherv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallgatherv)
#endif

#ifdef RECORDER_HAVE_Iallgatherv_c
RECORDER_EXPORT int MPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                      MPI_Datatype sendtype, void* recvbuf,
                                      const MPI_Count recvcounts[], const MPI_Aint displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iallgatherv_c);
  Call call(Function::Iallgatherv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallgatherv_c)
#endif

#ifdef RECORDER_HAVE_Iallreduce
RECORDER_EXPORT int MPI_Iallreduce(const void* sendbuf, void* recvbuf, int count,
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                   MPI_Request* request) {
  RECORDER_REAL(Iallreduce);
  Call call(Function::Iallreduce, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallreduce)
#endif

#ifdef RECORDER_HAVE_Iallreduce_c
RECORDER_EXPORT int MPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                     MPI_Request* request) {
  RECORDER_REAL(Iallreduce_c);
  Call call(Function::Iallreduce_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iallreduce_c)
#endif

#ifdef RECORDER_HAVE_Ialltoall
RECORDER_EXPORT int MPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ialltoall);
  Call call(Function::Ialltoall, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoall)
#endif

#ifdef RECORDER_HAVE_Ialltoall_c
RECORDER_EXPORT int MPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ialltoall_c);
  Call call(Function::Ialltoall_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    call.data(recvcount, recvtype);
  } else {
    call.data(sendcount, sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoall_c)
#endif

#ifdef RECORDER_HAVE_Ialltoallv
RECORDER_EXPORT int MPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Request* request) {
  RECORDER_REAL(Ialltoallv);
  Call call(Function::Ialltoallv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoallv)
#endif

#ifdef RECORDER_HAVE_Ialltoallv_c
RECORDER_EXPORT int MPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ialltoallv_c);
  Call call(Function::Ialltoallv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtype);
  } else {
    all_data(call, Counts(sendcounts), sendtype);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoallv_c)
#endif

#ifdef RECORDER_HAVE_Ialltoallw
RECORDER_EXPORT int MPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                   const MPI_Datatype sendtypes[], void* recvbuf,
                                   const int recvcounts[], const int rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm,
                                   MPI_Request* request) {
  RECORDER_REAL(Ialltoallw);
  Call call(Function::Ialltoallw, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoallw)
#endif

#ifdef RECORDER_HAVE_Ialltoallw_c
RECORDER_EXPORT int MPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                     const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const MPI_Count recvcounts[],
                                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                     MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ialltoallw_c);
  Call call(Function::Ialltoallw_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request);
  call.on(comm);
  if (sendbuf == MPI_IN_PLACE) {
    all_data(call, Counts(recvcounts), recvtypes);
  } else {
    all_data(call, Counts(sendcounts), sendtypes);
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ialltoallw_c)
#endif

#ifdef RECORDER_HAVE_Ibarrier
RECORDER_EXPORT int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ibarrier);
  Call call(Function::Ibarrier, RECORDER_CALLER);
  if (!call) return real(comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ibarrier)
#endif

#ifdef RECORDER_HAVE_Ibcast
RECORDER_EXPORT int MPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root,
                               MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ibcast);
  Call call(Function::Ibcast, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ibcast)
#endif

#ifdef RECORDER_HAVE_Ibcast_c
RECORDER_EXPORT int MPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ibcast_c);
  Call call(Function::Ibcast_c, RECORDER_CALLER);
  if (!call) return real(buffer, count, datatype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.enter();
  int outcome = real(buffer, count, datatype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ibcast_c)
#endif

#ifdef RECORDER_HAVE_Ibsend
RECORDER_EXPORT int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ibsend);
  Call call(Function::Ibsend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ibsend)
#endif

#ifdef RECORDER_HAVE_Ibsend_c
RECORDER_EXPORT int MPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ibsend_c);
  Call call(Function::Ibsend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ibsend_c)
#endif

#ifdef RECORDER_HAVE_Iexscan
RECORDER_EXPORT int MPI_Iexscan(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                MPI_Request* request) {
  RECORDER_REAL(Iexscan);
  Call call(Function::Iexscan, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iexscan)
#endif

#ifdef RECORDER_HAVE_Iexscan_c
RECORDER_EXPORT int MPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  MPI_Request* request) {
  RECORDER_REAL(Iexscan_c);
  Call call(Function::Iexscan_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iexscan_c)
#endif

#ifdef RECORDER_HAVE_Igather
RECORDER_EXPORT int MPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Igather);
  Call call(Function::Igather, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Igather)
#endif

#ifdef RECORDER_HAVE_Igather_c
RECORDER_EXPORT int MPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Igather_c);
  Call call(Function::Igather_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      call.data(recvcount, recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Igather_c)
#endif

#ifdef RECORDER_HAVE_Igatherv
RECORDER_EXPORT int MPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, const int recvcounts[], const int displs[],
                                 MPI_Datatype recvtype, int root, MPI_Comm comm,
                                 MPI_Request* request) {
  RECORDER_REAL(Igatherv);
  Call call(Function::Igatherv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Igatherv)
#endif

#ifdef RECORDER_HAVE_Igatherv_c
RECORDER_EXPORT int MPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const MPI_Count recvcounts[],
                                   const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                                   MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Igatherv_c);
  Call call(Function::Igatherv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (sendbuf == MPI_IN_PLACE) {
      all_data(call, Counts(recvcounts), recvtype);
    } else {
      call.data(sendcount, sendtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Igatherv_c)
#endif

#ifdef RECORDER_HAVE_Improbe
RECORDER_EXPORT int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                                MPI_Status* status) {
  RECORDER_REAL(Improbe);
  Call call(Function::Improbe, RECORDER_CALLER);
  if (!call) return real(source, tag, comm, flag, message, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  Forced forced(status);
  call.enter();
  int outcome = real(source, tag, comm, flag, message, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS && *flag) call.found(*forced);
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (*flag) call.run().probed.add(*message, call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Improbe)
#endif

#ifdef RECORDER_HAVE_Imrecv
RECORDER_EXPORT int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                               MPI_Request* request) {
  RECORDER_REAL(Imrecv);
  Call call(Function::Imrecv, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, message, request);
  call.run().probed.take(*message, call);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, message, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Imrecv)
#endif

#ifdef RECORDER_HAVE_Imrecv_c
RECORDER_EXPORT int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype,
                                 MPI_Message* message, MPI_Request* request) {
  RECORDER_REAL(Imrecv_c);
  Call call(Function::Imrecv_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, message, request);
  call.run().probed.take(*message, call);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, message, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Imrecv_c)
#endif

#ifdef RECORDER_HAVE_Ineighbor_allgather
RECORDER_EXPORT int MPI_Ineighbor_allgather(const void* sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                            MPI_Datatype recvtype, MPI_Comm comm,
                                            MPI_Request* request) {
  RECORDER_REAL(Ineighbor_allgather);
  Call call(Function::Ineighbor_allgather, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_allgather)
#endif

#ifdef RECORDER_HAVE_Ineighbor_allgather_c
RECORDER_EXPORT int MPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                              MPI_Datatype sendtype, void* recvbuf,
                                              MPI_Count recvcount, MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_allgather_c);
  Call call(Function::Ineighbor_allgather_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_allgather_c)
#endif

#ifdef RECORDER_HAVE_Ineighbor_allgatherv
RECORDER_EXPORT int MPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             const int recvcounts[], const int displs[],
                                             MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Request* request) {
  RECORDER_REAL(Ineighbor_allgatherv);
  Call call(Function::Ineighbor_allgatherv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_allgatherv)
#endif

#ifdef RECORDER_HAVE_Ineighbor_allgatherv_c
RECORDER_EXPORT int MPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                               MPI_Datatype sendtype, void* recvbuf,
                                               const MPI_Count recvcounts[],
                                               const MPI_Aint displs[], MPI_Datatype recvtype,
                                               MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_allgatherv_c);
  Call call(Function::Ineighbor_allgatherv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_allgatherv_c)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoall
RECORDER_EXPORT int MPI_Ineighbor_alltoall(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm,
                                           MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoall);
  Call call(Function::Ineighbor_alltoall, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoall)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoall_c
RECORDER_EXPORT int MPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             MPI_Count recvcount, MPI_Datatype recvtype,
                                             MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoall_c);
  Call call(Function::Ineighbor_alltoall_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoall_c)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoallv
RECORDER_EXPORT int MPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                            const int sdispls[], MPI_Datatype sendtype,
                                            void* recvbuf, const int recvcounts[],
                                            const int rdispls[], MPI_Datatype recvtype,
                                            MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoallv);
  Call call(Function::Ineighbor_alltoallv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(Counts(sendcounts), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoallv)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoallv_c
RECORDER_EXPORT int MPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                              const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                              void* recvbuf, const MPI_Count recvcounts[],
                                              const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoallv_c);
  Call call(Function::Ineighbor_alltoallv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(Counts(sendcounts), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoallv_c)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoallw
RECORDER_EXPORT int MPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                            const MPI_Aint sdispls[],
                                            const MPI_Datatype sendtypes[], void* recvbuf,
                                            const int recvcounts[], const MPI_Aint rdispls[],
                                            const MPI_Datatype recvtypes[], MPI_Comm comm,
                                            MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoallw);
  Call call(Function::Ineighbor_alltoallw, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(Counts(sendcounts), sendtypes),
                    Side(Counts(recvcounts), recvtypes), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoallw)
#endif

#ifdef RECORDER_HAVE_Ineighbor_alltoallw_c
RECORDER_EXPORT int MPI_Ineighbor_alltoallw_c(
    const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
    const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
    const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ineighbor_alltoallw_c);
  Call call(Function::Ineighbor_alltoallw_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_later(call, comm, Side(Counts(sendcounts), sendtypes),
                    Side(Counts(recvcounts), recvtypes), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ineighbor_alltoallw_c)
#endif

#ifdef RECORDER_HAVE_Info_create
RECORDER_EXPORT int MPI_Info_create(MPI_Info* info) {
  RECORDER_REAL(Info_create);
  Call call(Function::Info_create, RECORDER_CALLER);
  if (!call) return real(info);
  call.enter();
  int outcome = real(info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_create)
#endif

#ifdef RECORDER_HAVE_Info_delete
RECORDER_EXPORT int MPI_Info_delete(MPI_Info info, const char* key) {
  RECORDER_REAL(Info_delete);
  Call call(Function::Info_delete, RECORDER_CALLER);
  if (!call) return real(info, key);
  call.enter();
  int outcome = real(info, key);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_delete)
#endif

#ifdef RECORDER_HAVE_Info_dup
RECORDER_EXPORT int MPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  RECORDER_REAL(Info_dup);
  Call call(Function::Info_dup, RECORDER_CALLER);
  if (!call) return real(info, newinfo);
  call.enter();
  int outcome = real(info, newinfo);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_dup)
#endif

#ifdef RECORDER_HAVE_Info_free
RECORDER_EXPORT int MPI_Info_free(MPI_Info* info) {
  RECORDER_REAL(Info_free);
  Call call(Function::Info_free, RECORDER_CALLER);
  if (!call) return real(info);
  call.enter();
  int outcome = real(info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_free)
#endif

#ifdef RECORDER_HAVE_Info_get
RECORDER_EXPORT int MPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value,
                                 int* flag) {
  RECORDER_REAL(Info_get);
  Call call(Function::Info_get, RECORDER_CALLER);
  if (!call) return real(info, key, valuelen, value, flag);
  call.enter();
  int outcome = real(info, key, valuelen, value, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_get)
#endif

#ifdef RECORDER_HAVE_Info_get_nkeys
RECORDER_EXPORT int MPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  RECORDER_REAL(Info_get_nkeys);
  Call call(Function::Info_get_nkeys, RECORDER_CALLER);
  if (!call) return real(info, nkeys);
  call.enter();
  int outcome = real(info, nkeys);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_get_nkeys)
#endif

#ifdef RECORDER_HAVE_Info_get_nthkey
RECORDER_EXPORT int MPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  RECORDER_REAL(Info_get_nthkey);
  Call call(Function::Info_get_nthkey, RECORDER_CALLER);
  if (!call) return real(info, n, key);
  call.enter();
  int outcome = real(info, n, key);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_get_nthkey)
#endif

#ifdef RECORDER_HAVE_Info_get_string
RECORDER_EXPORT int MPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value,
                                        int* flag) {
  RECORDER_REAL(Info_get_string);
  Call call(Function::Info_get_string, RECORDER_CALLER);
  if (!call) return real(info, key, buflen, value, flag);
  call.enter();
  int outcome = real(info, key, buflen, value, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_get_string)
#endif

#ifdef RECORDER_HAVE_Info_get_valuelen
RECORDER_EXPORT int MPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen,
                                          int* flag) {
  RECORDER_REAL(Info_get_valuelen);
  Call call(Function::Info_get_valuelen, RECORDER_CALLER);
  if (!call) return real(info, key, valuelen, flag);
  call.enter();
  int outcome = real(info, key, valuelen, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_get_valuelen)
#endif

#ifdef RECORDER_HAVE_Info_set
RECORDER_EXPORT int MPI_Info_set(MPI_Info info, const char* key, const char* value) {
  RECORDER_REAL(Info_set);
  Call call(Function::Info_set, RECORDER_CALLER);
  if (!call) return real(info, key, value);
  call.enter();
  int outcome = real(info, key, value);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Info_set)
#endif

#ifdef RECORDER_HAVE_Intercomm_create
RECORDER_EXPORT int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                                         int remote_leader, int tag, MPI_Comm* newintercomm) {
  RECORDER_REAL(Intercomm_create);
  Call call(Function::Intercomm_create, RECORDER_CALLER);
  if (!call) return real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
  call.on(local_comm);
  call.tag(tag);
  call.enter();
  int outcome = real(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made_between(call, tag, *newintercomm);
  }
  return outcome;
}
RECORDER_ALIAS(Intercomm_create)
#endif

#ifdef RECORDER_HAVE_Intercomm_create_from_groups
RECORDER_EXPORT int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader,
                                                     MPI_Group remote_group, int remote_leader,
                                                     const char* stringtag, MPI_Info info,
                                                     MPI_Errhandler errhandler,
                                                     MPI_Comm* newintercomm) {
  RECORDER_REAL(Intercomm_create_from_groups);
  Call call(Function::Intercomm_create_from_groups, RECORDER_CALLER);
  if (!call)
    return real(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler,
                newintercomm);
  call.enter();
  int outcome = real(local_group, local_leader, remote_group, remote_leader, stringtag, info,
                     errhandler, newintercomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made_alone(call, stringtag, *newintercomm);
  }
  return outcome;
}
RECORDER_ALIAS(Intercomm_create_from_groups)
#endif

#ifdef RECORDER_HAVE_Intercomm_merge
RECORDER_EXPORT int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  RECORDER_REAL(Intercomm_merge);
  Call call(Function::Intercomm_merge, RECORDER_CALLER);
  if (!call) return real(intercomm, high, newintracomm);
  call.on(intercomm);
  call.enter();
  int outcome = real(intercomm, high, newintracomm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    comm_made(call, *newintracomm, false);
  }
  return outcome;
}
RECORDER_ALIAS(Intercomm_merge)
#endif

#ifdef RECORDER_HAVE_Iprobe
RECORDER_EXPORT int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  RECORDER_REAL(Iprobe);
  Call call(Function::Iprobe, RECORDER_CALLER);
  if (!call) return real(source, tag, comm, flag, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  Forced forced(status);
  call.enter();
  int outcome = real(source, tag, comm, flag, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS && *flag) call.found(*forced);
  call.count();
  return outcome;
}
RECORDER_ALIAS(Iprobe)
#endif

#ifdef RECORDER_HAVE_Irecv
RECORDER_EXPORT int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Irecv);
  Call call(Function::Irecv, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, request);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Irecv)
#endif

#ifdef RECORDER_HAVE_Irecv_c
RECORDER_EXPORT int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                                int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Irecv_c);
  Call call(Function::Irecv_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, request);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Irecv_c)
#endif

#ifdef RECORDER_HAVE_Ireduce
RECORDER_EXPORT int MPI_Ireduce(const void* sendbuf, void* recvbuf, int count,
                                MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                MPI_Request* request) {
  RECORDER_REAL(Ireduce);
  Call call(Function::Ireduce, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce)
#endif

#ifdef RECORDER_HAVE_Ireduce_c
RECORDER_EXPORT int MPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                  MPI_Request* request) {
  RECORDER_REAL(Ireduce_c);
  Call call(Function::Ireduce_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce_c)
#endif

#ifdef RECORDER_HAVE_Ireduce_scatter
RECORDER_EXPORT int MPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                        MPI_Request* request) {
  RECORDER_REAL(Ireduce_scatter);
  Call call(Function::Ireduce_scatter, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce_scatter)
#endif

#ifdef RECORDER_HAVE_Ireduce_scatter_c
RECORDER_EXPORT int MPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf,
                                          const MPI_Count recvcounts[], MPI_Datatype datatype,
                                          MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ireduce_scatter_c);
  Call call(Function::Ireduce_scatter_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce_scatter_c)
#endif

#ifdef RECORDER_HAVE_Ireduce_scatter_block
RECORDER_EXPORT int MPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                              MPI_Request* request) {
  RECORDER_REAL(Ireduce_scatter_block);
  Call call(Function::Ireduce_scatter_block, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce_scatter_block)
#endif

#ifdef RECORDER_HAVE_Ireduce_scatter_block_c
RECORDER_EXPORT int MPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                                MPI_Count recvcount, MPI_Datatype datatype,
                                                MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ireduce_scatter_block_c);
  Call call(Function::Ireduce_scatter_block_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ireduce_scatter_block_c)
#endif

#ifdef RECORDER_HAVE_Irsend
RECORDER_EXPORT int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Irsend);
  Call call(Function::Irsend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Irsend)
#endif

#ifdef RECORDER_HAVE_Irsend_c
RECORDER_EXPORT int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Irsend_c);
  Call call(Function::Irsend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Irsend_c)
#endif

#ifdef RECORDER_HAVE_Iscan
RECORDER_EXPORT int MPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iscan);
  Call call(Function::Iscan, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscan)
#endif

#ifdef RECORDER_HAVE_Iscan_c
RECORDER_EXPORT int MPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                MPI_Request* request) {
  RECORDER_REAL(Iscan_c);
  Call call(Function::Iscan_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscan_c)
#endif

#ifdef RECORDER_HAVE_Iscatter
RECORDER_EXPORT int MPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                 MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iscatter);
  Call call(Function::Iscatter, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscatter)
#endif

#ifdef RECORDER_HAVE_Iscatter_c
RECORDER_EXPORT int MPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                   int root, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iscatter_c);
  Call call(Function::Iscatter_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscatter_c)
#endif

#ifdef RECORDER_HAVE_Iscatterv
RECORDER_EXPORT int MPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                  MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                  MPI_Datatype recvtype, int root, MPI_Comm comm,
                                  MPI_Request* request) {
  RECORDER_REAL(Iscatterv);
  Call call(Function::Iscatterv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscatterv)
#endif

#ifdef RECORDER_HAVE_Iscatterv_c
RECORDER_EXPORT int MPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                    const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                    MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                    MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Iscatterv_c);
  Call call(Function::Iscatterv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                     comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_later(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Iscatterv_c)
#endif

#ifdef RECORDER_HAVE_Isend
RECORDER_EXPORT int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Isend);
  Call call(Function::Isend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isend)
#endif

#ifdef RECORDER_HAVE_Isend_c
RECORDER_EXPORT int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Isend_c);
  Call call(Function::Isend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isend_c)
#endif

#ifdef RECORDER_HAVE_Isendrecv
RECORDER_EXPORT int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  int dest, int sendtag, void* recvbuf, int recvcount,
                                  MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                  MPI_Request* request) {
  RECORDER_REAL(Isendrecv);
  Call call(Function::Isendrecv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(sendcount, sendtype);
  call.other_data(recvcount, recvtype);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                     source, recvtag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started_both(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isendrecv)
#endif

#ifdef RECORDER_HAVE_Isendrecv_c
RECORDER_EXPORT int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    int dest, int sendtag, void* recvbuf, MPI_Count recvcount,
                                    MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                    MPI_Request* request) {
  RECORDER_REAL(Isendrecv_c);
  Call call(Function::Isendrecv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(sendcount, sendtype);
  call.other_data(recvcount, recvtype);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                     source, recvtag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started_both(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isendrecv_c)
#endif

#ifdef RECORDER_HAVE_Isendrecv_replace
RECORDER_EXPORT int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest,
                                          int sendtag, int source, int recvtag, MPI_Comm comm,
                                          MPI_Request* request) {
  RECORDER_REAL(Isendrecv_replace);
  Call call(Function::Isendrecv_replace, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started_both(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isendrecv_replace)
#endif

#ifdef RECORDER_HAVE_Isendrecv_replace_c
RECORDER_EXPORT int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype,
                                            int dest, int sendtag, int source, int recvtag,
                                            MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Isendrecv_replace_c);
  Call call(Function::Isendrecv_replace_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started_both(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Isendrecv_replace_c)
#endif

#ifdef RECORDER_HAVE_Issend
RECORDER_EXPORT int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                               MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Issend);
  Call call(Function::Issend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Issend)
#endif

#ifdef RECORDER_HAVE_Issend_c
RECORDER_EXPORT int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                 int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Issend_c);
  Call call(Function::Issend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    started(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Issend_c)
#endif

#ifdef RECORDER_HAVE_Lookup_name
RECORDER_EXPORT int MPI_Lookup_name(const char* service_name, MPI_Info info, char* port_name) {
  RECORDER_REAL(Lookup_name);
  Call call(Function::Lookup_name, RECORDER_CALLER);
  if (!call) return real(service_name, info, port_name);
  call.enter();
  int outcome = real(service_name, info, port_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Lookup_name)
#endif

#ifdef RECORDER_HAVE_Mprobe
RECORDER_EXPORT int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message,
                               MPI_Status* status) {
  RECORDER_REAL(Mprobe);
  Call call(Function::Mprobe, RECORDER_CALLER);
  if (!call) return real(source, tag, comm, message, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  Forced forced(status);
  call.enter();
  int outcome = real(source, tag, comm, message, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (true) call.run().probed.add(*message, call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Mprobe)
#endif

#ifdef RECORDER_HAVE_Mrecv
RECORDER_EXPORT int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                              MPI_Status* status) {
  RECORDER_REAL(Mrecv);
  Call call(Function::Mrecv, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, message, status);
  call.run().probed.take(*message, call);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, message, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    received(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Mrecv)
#endif

#ifdef RECORDER_HAVE_Mrecv_c
RECORDER_EXPORT int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype,
                                MPI_Message* message, MPI_Status* status) {
  RECORDER_REAL(Mrecv_c);
  Call call(Function::Mrecv_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, message, status);
  call.run().probed.take(*message, call);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, message, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    received(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Mrecv_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgather
RECORDER_EXPORT int MPI_Neighbor_allgather(const void* sendbuf, int sendcount,
                                           MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                           MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Neighbor_allgather);
  Call call(Function::Neighbor_allgather, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(static_cast<std::int64_t>(recvcount), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgather)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgather_c
RECORDER_EXPORT int MPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount,
                                             MPI_Datatype sendtype, void* recvbuf,
                                             MPI_Count recvcount, MPI_Datatype recvtype,
                                             MPI_Comm comm) {
  RECORDER_REAL(Neighbor_allgather_c);
  Call call(Function::Neighbor_allgather_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(static_cast<std::int64_t>(recvcount), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgather_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgather_init
RECORDER_EXPORT int MPI_Neighbor_allgather_init(const void* sendbuf, int sendcount,
                                                MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                                MPI_Request* request) {
  RECORDER_REAL(Neighbor_allgather_init);
  Call call(Function::Neighbor_allgather_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgather_init)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgather_init_c
RECORDER_EXPORT int MPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount,
                                                  MPI_Datatype sendtype, void* recvbuf,
                                                  MPI_Count recvcount, MPI_Datatype recvtype,
                                                  MPI_Comm comm, MPI_Info info,
                                                  MPI_Request* request) {
  RECORDER_REAL(Neighbor_allgather_init_c);
  Call call(Function::Neighbor_allgather_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgather_init_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgatherv
RECORDER_EXPORT int MPI_Neighbor_allgatherv(const void* sendbuf, int sendcount,
                                            MPI_Datatype sendtype, void* recvbuf,
                                            const int recvcounts[], const int displs[],
                                            MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Neighbor_allgatherv);
  Call call(Function::Neighbor_allgatherv, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(Counts(recvcounts), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgatherv)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgatherv_c
RECORDER_EXPORT int MPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount,
                                              MPI_Datatype sendtype, void* recvbuf,
                                              const MPI_Count recvcounts[], const MPI_Aint displs[],
                                              MPI_Datatype recvtype, MPI_Comm comm) {
  RECORDER_REAL(Neighbor_allgatherv_c);
  Call call(Function::Neighbor_allgatherv_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(Counts(recvcounts), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgatherv_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgatherv_init
RECORDER_EXPORT int MPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 const int recvcounts[], const int displs[],
                                                 MPI_Datatype recvtype, MPI_Comm comm,
                                                 MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Neighbor_allgatherv_init);
  Call call(Function::Neighbor_allgatherv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                     info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgatherv_init)
#endif

#ifdef RECORDER_HAVE_Neighbor_allgatherv_init_c
RECORDER_EXPORT int MPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount,
                                                   MPI_Datatype sendtype, void* recvbuf,
                                                   const MPI_Count recvcounts[],
                                                   const MPI_Aint displs[], MPI_Datatype recvtype,
                                                   MPI_Comm comm, MPI_Info info,
                                                   MPI_Request* request) {
  RECORDER_REAL(Neighbor_allgatherv_init_c);
  Call call(Function::Neighbor_allgatherv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm, info,
                request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                     info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_allgatherv_init_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoall
RECORDER_EXPORT int MPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoall);
  Call call(Function::Neighbor_alltoall, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(static_cast<std::int64_t>(recvcount), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoall)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoall_c
RECORDER_EXPORT int MPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount,
                                            MPI_Datatype sendtype, void* recvbuf,
                                            MPI_Count recvcount, MPI_Datatype recvtype,
                                            MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoall_c);
  Call call(Function::Neighbor_alltoall_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
              Side(static_cast<std::int64_t>(recvcount), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoall_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoall_init
RECORDER_EXPORT int MPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount,
                                               MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                               MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoall_init);
  Call call(Function::Neighbor_alltoall_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoall_init)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoall_init_c
RECORDER_EXPORT int MPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount,
                                                 MPI_Datatype sendtype, void* recvbuf,
                                                 MPI_Count recvcount, MPI_Datatype recvtype,
                                                 MPI_Comm comm, MPI_Info info,
                                                 MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoall_init_c);
  Call call(Function::Neighbor_alltoall_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(static_cast<std::int64_t>(sendcount), sendtype),
                    Side(static_cast<std::int64_t>(recvcount), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoall_init_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallv
RECORDER_EXPORT int MPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[],
                                           const int sdispls[], MPI_Datatype sendtype,
                                           void* recvbuf, const int recvcounts[],
                                           const int rdispls[], MPI_Datatype recvtype,
                                           MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoallv);
  Call call(Function::Neighbor_alltoallv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(Counts(sendcounts), sendtype), Side(Counts(recvcounts), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallv)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallv_c
RECORDER_EXPORT int MPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                             const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                             void* recvbuf, const MPI_Count recvcounts[],
                                             const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                             MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoallv_c);
  Call call(Function::Neighbor_alltoallv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(Counts(sendcounts), sendtype), Side(Counts(recvcounts), recvtype));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallv_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallv_init
RECORDER_EXPORT int MPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[],
                                                const int sdispls[], MPI_Datatype sendtype,
                                                void* recvbuf, const int recvcounts[],
                                                const int rdispls[], MPI_Datatype recvtype,
                                                MPI_Comm comm, MPI_Info info,
                                                MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoallv_init);
  Call call(Function::Neighbor_alltoallv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(Counts(sendcounts), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallv_init)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallv_init_c
RECORDER_EXPORT int MPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                                  const MPI_Aint sdispls[], MPI_Datatype sendtype,
                                                  void* recvbuf, const MPI_Count recvcounts[],
                                                  const MPI_Aint rdispls[], MPI_Datatype recvtype,
                                                  MPI_Comm comm, MPI_Info info,
                                                  MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoallv_init_c);
  Call call(Function::Neighbor_alltoallv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                comm, info, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(Counts(sendcounts), sendtype),
                    Side(Counts(recvcounts), recvtype), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallv_init_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallw
RECORDER_EXPORT int MPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[],
                                           const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
                                           void* recvbuf, const int recvcounts[],
                                           const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],
                                           MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoallw);
  Call call(Function::Neighbor_alltoallw, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(Counts(sendcounts), sendtypes), Side(Counts(recvcounts), recvtypes));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallw)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallw_c
RECORDER_EXPORT int MPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[],
                                             const MPI_Aint sdispls[],
                                             const MPI_Datatype sendtypes[], void* recvbuf,
                                             const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                             const MPI_Datatype recvtypes[], MPI_Comm comm) {
  RECORDER_REAL(Neighbor_alltoallw_c);
  Call call(Function::Neighbor_alltoallw_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm);
  call.on(comm);
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors(call, comm, Side(Counts(sendcounts), sendtypes), Side(Counts(recvcounts), recvtypes));
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallw_c)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallw_init
RECORDER_EXPORT int MPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[],
                                                const MPI_Aint sdispls[],
                                                const MPI_Datatype sendtypes[], void* recvbuf,
                                                const int recvcounts[], const MPI_Aint rdispls[],
                                                const MPI_Datatype recvtypes[], MPI_Comm comm,
                                                MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoallw_init);
  Call call(Function::Neighbor_alltoallw_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(Counts(sendcounts), sendtypes),
                    Side(Counts(recvcounts), recvtypes), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallw_init)
#endif

#ifdef RECORDER_HAVE_Neighbor_alltoallw_init_c
RECORDER_EXPORT int MPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                                  const MPI_Aint sdispls[],
                                                  const MPI_Datatype sendtypes[], void* recvbuf,
                                                  const MPI_Count recvcounts[],
                                                  const MPI_Aint rdispls[],
                                                  const MPI_Datatype recvtypes[], MPI_Comm comm,
                                                  MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Neighbor_alltoallw_init_c);
  Call call(Function::Neighbor_alltoallw_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes,
                comm, info, request);
  call.on(comm);
  call.enter();
  int outcome = real(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                     recvtypes, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    neighbors_often(call, comm, Side(Counts(sendcounts), sendtypes),
                    Side(Counts(recvcounts), recvtypes), *request);
  }
  return outcome;
}
RECORDER_ALIAS(Neighbor_alltoallw_init_c)
#endif

#ifdef RECORDER_HAVE_Op_commutative
RECORDER_EXPORT int MPI_Op_commutative(MPI_Op op, int* commute) {
  RECORDER_REAL(Op_commutative);
  Call call(Function::Op_commutative, RECORDER_CALLER);
  if (!call) return real(op, commute);
  call.operation(op);
  call.enter();
  int outcome = real(op, commute);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Op_commutative)
#endif

#ifdef RECORDER_HAVE_Op_create
RECORDER_EXPORT int MPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  RECORDER_REAL(Op_create);
  Call call(Function::Op_create, RECORDER_CALLER);
  if (!call) return real(user_fn, commute, op);
  call.enter();
  int outcome = real(user_fn, commute, op);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Op_create)
#endif

#ifdef RECORDER_HAVE_Op_create_c
RECORDER_EXPORT int MPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  RECORDER_REAL(Op_create_c);
  Call call(Function::Op_create_c, RECORDER_CALLER);
  if (!call) return real(user_fn, commute, op);
  call.enter();
  int outcome = real(user_fn, commute, op);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Op_create_c)
#endif

#ifdef RECORDER_HAVE_Op_free
RECORDER_EXPORT int MPI_Op_free(MPI_Op* op) {
  RECORDER_REAL(Op_free);
  Call call(Function::Op_free, RECORDER_CALLER);
  if (!call) return real(op);
  call.enter();
  int outcome = real(op);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Op_free)
#endif

#ifdef RECORDER_HAVE_Open_port
RECORDER_EXPORT int MPI_Open_port(MPI_Info info, char* port_name) {
  RECORDER_REAL(Open_port);
  Call call(Function::Open_port, RECORDER_CALLER);
  if (!call) return real(info, port_name);
  call.enter();
  int outcome = real(info, port_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Open_port)
#endif

#ifdef RECORDER_HAVE_Pack
RECORDER_EXPORT int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
                             int outsize, int* position, MPI_Comm comm) {
  RECORDER_REAL(Pack);
  Call call(Function::Pack, RECORDER_CALLER);
  if (!call) return real(inbuf, incount, datatype, outbuf, outsize, position, comm);
  call.on(comm);
  call.data(incount, datatype);
  call.enter();
  int outcome = real(inbuf, incount, datatype, outbuf, outsize, position, comm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack)
#endif

#ifdef RECORDER_HAVE_Pack_c
RECORDER_EXPORT int MPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                               void* outbuf, MPI_Count outsize, MPI_Count* position,
                               MPI_Comm comm) {
  RECORDER_REAL(Pack_c);
  Call call(Function::Pack_c, RECORDER_CALLER);
  if (!call) return real(inbuf, incount, datatype, outbuf, outsize, position, comm);
  call.on(comm);
  call.data(incount, datatype);
  call.enter();
  int outcome = real(inbuf, incount, datatype, outbuf, outsize, position, comm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_c)
#endif

#ifdef RECORDER_HAVE_Pack_external
RECORDER_EXPORT int MPI_Pack_external(const char datarep[], const void* inbuf, int incount,
                                      MPI_Datatype datatype, void* outbuf, MPI_Aint outsize,
                                      MPI_Aint* position) {
  RECORDER_REAL(Pack_external);
  Call call(Function::Pack_external, RECORDER_CALLER);
  if (!call) return real(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  call.enter();
  int outcome = real(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_external)
#endif

#ifdef RECORDER_HAVE_Pack_external_c
RECORDER_EXPORT int MPI_Pack_external_c(const char datarep[], const void* inbuf, MPI_Count incount,
                                        MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                                        MPI_Count* position) {
  RECORDER_REAL(Pack_external_c);
  Call call(Function::Pack_external_c, RECORDER_CALLER);
  if (!call) return real(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  call.enter();
  int outcome = real(datarep, inbuf, incount, datatype, outbuf, outsize, position);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_external_c)
#endif

#ifdef RECORDER_HAVE_Pack_external_size
RECORDER_EXPORT int MPI_Pack_external_size(const char datarep[], int incount, MPI_Datatype datatype,
                                           MPI_Aint* size) {
  RECORDER_REAL(Pack_external_size);
  Call call(Function::Pack_external_size, RECORDER_CALLER);
  if (!call) return real(datarep, incount, datatype, size);
  call.enter();
  int outcome = real(datarep, incount, datatype, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_external_size)
#endif

#ifdef RECORDER_HAVE_Pack_external_size_c
RECORDER_EXPORT int MPI_Pack_external_size_c(const char datarep[], MPI_Count incount,
                                             MPI_Datatype datatype, MPI_Count* size) {
  RECORDER_REAL(Pack_external_size_c);
  Call call(Function::Pack_external_size_c, RECORDER_CALLER);
  if (!call) return real(datarep, incount, datatype, size);
  call.enter();
  int outcome = real(datarep, incount, datatype, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_external_size_c)
#endif

#ifdef RECORDER_HAVE_Pack_size
RECORDER_EXPORT int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  RECORDER_REAL(Pack_size);
  Call call(Function::Pack_size, RECORDER_CALLER);
  if (!call) return real(incount, datatype, comm, size);
  call.on(comm);
  call.data(incount, datatype);
  call.enter();
  int outcome = real(incount, datatype, comm, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_size)
#endif

#ifdef RECORDER_HAVE_Pack_size_c
RECORDER_EXPORT int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm,
                                    MPI_Count* size) {
  RECORDER_REAL(Pack_size_c);
  Call call(Function::Pack_size_c, RECORDER_CALLER);
  if (!call) return real(incount, datatype, comm, size);
  call.on(comm);
  call.data(incount, datatype);
  call.enter();
  int outcome = real(incount, datatype, comm, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Pack_size_c)
#endif

#ifdef RECORDER_HAVE_Parrived
RECORDER_EXPORT int MPI_Parrived(MPI_Request request, int partition, int* flag) {
  RECORDER_REAL(Parrived);
  Call call(Function::Parrived, RECORDER_CALLER);
  if (!call) return real(request, partition, flag);
  call.enter();
  int outcome = real(request, partition, flag);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    arrived(call, request);
  }
  return outcome;
}
RECORDER_ALIAS(Parrived)
#endif

#ifdef RECORDER_HAVE_Pready
RECORDER_EXPORT int MPI_Pready(int partition, MPI_Request request) {
  RECORDER_REAL(Pready);
  Call call(Function::Pready, RECORDER_CALLER);
  if (!call) return real(partition, request);
  call.enter();
  int outcome = real(partition, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    readied(call, request);
  }
  return outcome;
}
RECORDER_ALIAS(Pready)
#endif

#ifdef RECORDER_HAVE_Pready_list
RECORDER_EXPORT int MPI_Pready_list(int length, RECORDER_PREADY_CONST int array_of_partitions[],
                                    MPI_Request request) {
  RECORDER_REAL(Pready_list);
  Call call(Function::Pready_list, RECORDER_CALLER);
  if (!call) return real(length, array_of_partitions, request);
  call.enter();
  int outcome = real(length, array_of_partitions, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    readied(call, request);
  }
  return outcome;
}
RECORDER_ALIAS(Pready_list)
#endif

#ifdef RECORDER_HAVE_Pready_range
RECORDER_EXPORT int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request) {
  RECORDER_REAL(Pready_range);
  Call call(Function::Pready_range, RECORDER_CALLER);
  if (!call) return real(partition_low, partition_high, request);
  call.enter();
  int outcome = real(partition_low, partition_high, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    readied(call, request);
  }
  return outcome;
}
RECORDER_ALIAS(Pready_range)
#endif

#ifdef RECORDER_HAVE_Precv_init
RECORDER_EXPORT int MPI_Precv_init(void* buf, int partitions, MPI_Count count,
                                   MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Precv_init);
  Call call(Function::Precv_init, RECORDER_CALLER);
  if (!call) return real(buf, partitions, count, datatype, source, tag, comm, info, request);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.partitions(partitions);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, partitions, count, datatype, source, tag, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kReceive, *request, true);
  }
  return outcome;
}
RECORDER_ALIAS(Precv_init)
#endif

#ifdef RECORDER_HAVE_Probe
RECORDER_EXPORT int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  RECORDER_REAL(Probe);
  Call call(Function::Probe, RECORDER_CALLER);
  if (!call) return real(source, tag, comm, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  Forced forced(status);
  call.enter();
  int outcome = real(source, tag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count();
  return outcome;
}
RECORDER_ALIAS(Probe)
#endif

#ifdef RECORDER_HAVE_Psend_init
RECORDER_EXPORT int MPI_Psend_init(const void* buf, int partitions, MPI_Count count,
                                   MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Psend_init);
  Call call(Function::Psend_init, RECORDER_CALLER);
  if (!call) return real(buf, partitions, count, datatype, dest, tag, comm, info, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.partitions(partitions);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, partitions, count, datatype, dest, tag, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request, true);
  }
  return outcome;
}
RECORDER_ALIAS(Psend_init)
#endif

#ifdef RECORDER_HAVE_Publish_name
RECORDER_EXPORT int MPI_Publish_name(const char* service_name, MPI_Info info,
                                     const char* port_name) {
  RECORDER_REAL(Publish_name);
  Call call(Function::Publish_name, RECORDER_CALLER);
  if (!call) return real(service_name, info, port_name);
  call.enter();
  int outcome = real(service_name, info, port_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Publish_name)
#endif

#ifdef RECORDER_HAVE_Put
RECORDER_EXPORT int MPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Win win) {
  RECORDER_REAL(Put);
  Call call(Function::Put, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kPut, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Put)
#endif

#ifdef RECORDER_HAVE_Put_c
RECORDER_EXPORT int MPI_Put_c(const void* origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  RECORDER_REAL(Put_c);
  Call call(Function::Put_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kPut, target_rank, nullptr);
  }
  return outcome;
}
RECORDER_ALIAS(Put_c)
#endif

#ifdef RECORDER_HAVE_Raccumulate
RECORDER_EXPORT int MPI_Raccumulate(const void* origin_addr, int origin_count,
                                    MPI_Datatype origin_datatype, int target_rank,
                                    MPI_Aint target_disp, int target_count,
                                    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                    MPI_Request* request) {
  RECORDER_REAL(Raccumulate);
  Call call(Function::Raccumulate, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, op, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Raccumulate)
#endif

#ifdef RECORDER_HAVE_Raccumulate_c
RECORDER_EXPORT int MPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count,
                                      MPI_Datatype origin_datatype, int target_rank,
                                      MPI_Aint target_disp, MPI_Count target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                      MPI_Request* request) {
  RECORDER_REAL(Raccumulate_c);
  Call call(Function::Raccumulate_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, op, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, op, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Raccumulate_c)
#endif

#ifdef RECORDER_HAVE_Recv
RECORDER_EXPORT int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                             MPI_Comm comm, MPI_Status* status) {
  RECORDER_REAL(Recv);
  Call call(Function::Recv, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    received(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Recv)
#endif

#ifdef RECORDER_HAVE_Recv_c
RECORDER_EXPORT int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                               int tag, MPI_Comm comm, MPI_Status* status) {
  RECORDER_REAL(Recv_c);
  Call call(Function::Recv_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, status);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    received(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Recv_c)
#endif

#ifdef RECORDER_HAVE_Recv_init
RECORDER_EXPORT int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag,
                                  MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Recv_init);
  Call call(Function::Recv_init, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, request);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Recv_init)
#endif

#ifdef RECORDER_HAVE_Recv_init_c
RECORDER_EXPORT int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source,
                                    int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Recv_init_c);
  Call call(Function::Recv_init_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, source, tag, comm, request);
  call.on(comm);
  call.peer(source);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, source, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kReceive, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Recv_init_c)
#endif

#ifdef RECORDER_HAVE_Reduce
RECORDER_EXPORT int MPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                               MPI_Op op, int root, MPI_Comm comm) {
  RECORDER_REAL(Reduce);
  Call call(Function::Reduce, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce)
#endif

#ifdef RECORDER_HAVE_Reduce_c
RECORDER_EXPORT int MPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  RECORDER_REAL(Reduce_c);
  Call call(Function::Reduce_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_c)
#endif

#ifdef RECORDER_HAVE_Reduce_init
RECORDER_EXPORT int MPI_Reduce_init(const void* sendbuf, void* recvbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                    MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Reduce_init);
  Call call(Function::Reduce_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_init)
#endif

#ifdef RECORDER_HAVE_Reduce_init_c
RECORDER_EXPORT int MPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
                                      MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Reduce_init_c);
  Call call(Function::Reduce_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    call.data(count, datatype);
  }
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_init_c)
#endif

#ifdef RECORDER_HAVE_Reduce_local
RECORDER_EXPORT int MPI_Reduce_local(const void* inbuf, void* inoutbuf, int count,
                                     MPI_Datatype datatype, MPI_Op op) {
  RECORDER_REAL(Reduce_local);
  Call call(Function::Reduce_local, RECORDER_CALLER);
  if (!call) return real(inbuf, inoutbuf, count, datatype, op);
  call.operation(op);
  call.enter();
  int outcome = real(inbuf, inoutbuf, count, datatype, op);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Reduce_local)
#endif

#ifdef RECORDER_HAVE_Reduce_local_c
RECORDER_EXPORT int MPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count,
                                       MPI_Datatype datatype, MPI_Op op) {
  RECORDER_REAL(Reduce_local_c);
  Call call(Function::Reduce_local_c, RECORDER_CALLER);
  if (!call) return real(inbuf, inoutbuf, count, datatype, op);
  call.operation(op);
  call.enter();
  int outcome = real(inbuf, inoutbuf, count, datatype, op);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Reduce_local_c)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter
RECORDER_EXPORT int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Reduce_scatter);
  Call call(Function::Reduce_scatter, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_c
RECORDER_EXPORT int MPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf,
                                         const MPI_Count recvcounts[], MPI_Datatype datatype,
                                         MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Reduce_scatter_c);
  Call call(Function::Reduce_scatter_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_c)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_block
RECORDER_EXPORT int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Reduce_scatter_block);
  Call call(Function::Reduce_scatter_block, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_block)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_block_c
RECORDER_EXPORT int MPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf,
                                               MPI_Count recvcount, MPI_Datatype datatype,
                                               MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Reduce_scatter_block_c);
  Call call(Function::Reduce_scatter_block_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_block_c)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_block_init
RECORDER_EXPORT int MPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                                  MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Reduce_scatter_block_init);
  Call call(Function::Reduce_scatter_block_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_block_init)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_block_init_c
RECORDER_EXPORT int MPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf,
                                                    MPI_Count recvcount, MPI_Datatype datatype,
                                                    MPI_Op op, MPI_Comm comm, MPI_Info info,
                                                    MPI_Request* request) {
  RECORDER_REAL(Reduce_scatter_block_init_c);
  Call call(Function::Reduce_scatter_block_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
  call.on(comm);
  call.data(recvcount, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcount, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_block_init_c)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_init
RECORDER_EXPORT int MPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf,
                                            const int recvcounts[], MPI_Datatype datatype,
                                            MPI_Op op, MPI_Comm comm, MPI_Info info,
                                            MPI_Request* request) {
  RECORDER_REAL(Reduce_scatter_init);
  Call call(Function::Reduce_scatter_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_init)
#endif

#ifdef RECORDER_HAVE_Reduce_scatter_init_c
RECORDER_EXPORT int MPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf,
                                              const MPI_Count recvcounts[], MPI_Datatype datatype,
                                              MPI_Op op, MPI_Comm comm, MPI_Info info,
                                              MPI_Request* request) {
  RECORDER_REAL(Reduce_scatter_init_c);
  Call call(Function::Reduce_scatter_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
  call.on(comm);
  all_data(call, Counts(recvcounts), datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Reduce_scatter_init_c)
#endif

#ifdef RECORDER_HAVE_Remove_error_class
RECORDER_EXPORT int MPI_Remove_error_class(int errorclass) {
  RECORDER_REAL(Remove_error_class);
  Call call(Function::Remove_error_class, RECORDER_CALLER);
  if (!call) return real(errorclass);
  call.enter();
  int outcome = real(errorclass);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Remove_error_class)
#endif

#ifdef RECORDER_HAVE_Remove_error_code
RECORDER_EXPORT int MPI_Remove_error_code(int errorcode) {
  RECORDER_REAL(Remove_error_code);
  Call call(Function::Remove_error_code, RECORDER_CALLER);
  if (!call) return real(errorcode);
  call.enter();
  int outcome = real(errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Remove_error_code)
#endif

#ifdef RECORDER_HAVE_Remove_error_string
RECORDER_EXPORT int MPI_Remove_error_string(int errorcode) {
  RECORDER_REAL(Remove_error_string);
  Call call(Function::Remove_error_string, RECORDER_CALLER);
  if (!call) return real(errorcode);
  call.enter();
  int outcome = real(errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Remove_error_string)
#endif

#ifdef RECORDER_HAVE_Request_free
RECORDER_EXPORT int MPI_Request_free(MPI_Request* request) {
  RECORDER_REAL(Request_free);
  Call call(Function::Request_free, RECORDER_CALLER);
  if (!call) return real(request);
  MPI_Request freed = *request;
  call.enter();
  int outcome = real(request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    dropped(call, freed);
  }
  return outcome;
}
RECORDER_ALIAS(Request_free)
#endif

#ifdef RECORDER_HAVE_Request_get_status
RECORDER_EXPORT int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  RECORDER_REAL(Request_get_status);
  Call call(Function::Request_get_status, RECORDER_CALLER);
  if (!call) return real(request, flag, status);
  call.enter();
  int outcome = real(request, flag, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Request_get_status)
#endif

#ifdef RECORDER_HAVE_Rget
RECORDER_EXPORT int MPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                             int target_rank, MPI_Aint target_disp, int target_count,
                             MPI_Datatype target_datatype, MPI_Win win, MPI_Request* request) {
  RECORDER_REAL(Rget);
  Call call(Function::Rget, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kGet, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rget)
#endif

#ifdef RECORDER_HAVE_Rget_c
RECORDER_EXPORT int MPI_Rget_c(void* origin_addr, MPI_Count origin_count,
                               MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                               MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                               MPI_Request* request) {
  RECORDER_REAL(Rget_c);
  Call call(Function::Rget_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kGet, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rget_c)
#endif

#ifdef RECORDER_HAVE_Rget_accumulate
RECORDER_EXPORT int MPI_Rget_accumulate(const void* origin_addr, int origin_count,
                                        MPI_Datatype origin_datatype, void* result_addr,
                                        int result_count, MPI_Datatype result_datatype,
                                        int target_rank, MPI_Aint target_disp, int target_count,
                                        MPI_Datatype target_datatype, MPI_Op op, MPI_Win win,
                                        MPI_Request* request) {
  RECORDER_REAL(Rget_accumulate);
  Call call(Function::Rget_accumulate, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win,
                request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome =
      real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rget_accumulate)
#endif

#ifdef RECORDER_HAVE_Rget_accumulate_c
RECORDER_EXPORT int MPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count,
                                          MPI_Datatype origin_datatype, void* result_addr,
                                          MPI_Count result_count, MPI_Datatype result_datatype,
                                          int target_rank, MPI_Aint target_disp,
                                          MPI_Count target_count, MPI_Datatype target_datatype,
                                          MPI_Op op, MPI_Win win, MPI_Request* request) {
  RECORDER_REAL(Rget_accumulate_c);
  Call call(Function::Rget_accumulate_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                result_datatype, target_rank, target_disp, target_count, target_datatype, op, win,
                request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.operation(op);
  call.enter();
  int outcome =
      real(origin_addr, origin_count, origin_datatype, result_addr, result_count, result_datatype,
           target_rank, target_disp, target_count, target_datatype, op, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kAccumulate, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rget_accumulate_c)
#endif

#ifdef RECORDER_HAVE_Rput
RECORDER_EXPORT int MPI_Rput(const void* origin_addr, int origin_count,
                             MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                             int target_count, MPI_Datatype target_datatype, MPI_Win win,
                             MPI_Request* request) {
  RECORDER_REAL(Rput);
  Call call(Function::Rput, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kPut, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rput)
#endif

#ifdef RECORDER_HAVE_Rput_c
RECORDER_EXPORT int MPI_Rput_c(const void* origin_addr, MPI_Count origin_count,
                               MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                               MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                               MPI_Request* request) {
  RECORDER_REAL(Rput_c);
  Call call(Function::Rput_c, RECORDER_CALLER);
  if (!call)
    return real(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                target_datatype, win, request);
  call.window(win);
  call.peer(target_rank);
  call.data(origin_count, origin_datatype);
  call.other_data(target_count, target_datatype);
  call.enter();
  int outcome = real(origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                     target_count, target_datatype, win, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    accessed(call, LinkKind::kPut, target_rank, request);
  }
  return outcome;
}
RECORDER_ALIAS(Rput_c)
#endif

#ifdef RECORDER_HAVE_Rsend
RECORDER_EXPORT int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm) {
  RECORDER_REAL(Rsend);
  Call call(Function::Rsend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Rsend)
#endif

#ifdef RECORDER_HAVE_Rsend_c
RECORDER_EXPORT int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm) {
  RECORDER_REAL(Rsend_c);
  Call call(Function::Rsend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Rsend_c)
#endif

#ifdef RECORDER_HAVE_Rsend_init
RECORDER_EXPORT int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                   int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Rsend_init);
  Call call(Function::Rsend_init, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Rsend_init)
#endif

#ifdef RECORDER_HAVE_Rsend_init_c
RECORDER_EXPORT int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype,
                                     int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Rsend_init_c);
  Call call(Function::Rsend_init_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Rsend_init_c)
#endif

#ifdef RECORDER_HAVE_Scan
RECORDER_EXPORT int MPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                             MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Scan);
  Call call(Function::Scan, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scan)
#endif

#ifdef RECORDER_HAVE_Scan_c
RECORDER_EXPORT int MPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  RECORDER_REAL(Scan_c);
  Call call(Function::Scan_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scan_c)
#endif

#ifdef RECORDER_HAVE_Scan_init
RECORDER_EXPORT int MPI_Scan_init(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                  MPI_Request* request) {
  RECORDER_REAL(Scan_init);
  Call call(Function::Scan_init, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scan_init)
#endif

#ifdef RECORDER_HAVE_Scan_init_c
RECORDER_EXPORT int MPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  RECORDER_REAL(Scan_init_c);
  Call call(Function::Scan_init_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.on(comm);
  call.data(count, datatype);
  call.operation(op);
  call.enter();
  int outcome = real(sendbuf, recvbuf, count, datatype, op, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scan_init_c)
#endif

#ifdef RECORDER_HAVE_Scatter
RECORDER_EXPORT int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                MPI_Comm comm) {
  RECORDER_REAL(Scatter);
  Call call(Function::Scatter, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scatter)
#endif

#ifdef RECORDER_HAVE_Scatter_c
RECORDER_EXPORT int MPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                  int root, MPI_Comm comm) {
  RECORDER_REAL(Scatter_c);
  Call call(Function::Scatter_c, RECORDER_CALLER);
  if (!call) return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scatter_c)
#endif

#ifdef RECORDER_HAVE_Scatter_init
RECORDER_EXPORT int MPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Scatter_init);
  Call call(Function::Scatter_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scatter_init)
#endif

#ifdef RECORDER_HAVE_Scatter_init_c
RECORDER_EXPORT int MPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount,
                                       MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                                       MPI_Datatype recvtype, int root, MPI_Comm comm,
                                       MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Scatter_init_c);
  Call call(Function::Scatter_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info,
                request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      call.data(sendcount, sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scatter_init_c)
#endif

#ifdef RECORDER_HAVE_Scatterv
RECORDER_EXPORT int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                 MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  RECORDER_REAL(Scatterv);
  Call call(Function::Scatterv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scatterv)
#endif

#ifdef RECORDER_HAVE_Scatterv_c
RECORDER_EXPORT int MPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[],
                                   const MPI_Aint displs[], MPI_Datatype sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm) {
  RECORDER_REAL(Scatterv_c);
  Call call(Function::Scatterv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome =
      real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met(call);
  }
  return outcome;
}
RECORDER_ALIAS(Scatterv_c)
#endif

#ifdef RECORDER_HAVE_Scatterv_init
RECORDER_EXPORT int MPI_Scatterv_init(const void* sendbuf, const int sendcounts[],
                                      const int displs[], MPI_Datatype sendtype, void* recvbuf,
                                      int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                      MPI_Info info, MPI_Request* request) {
  RECORDER_REAL(Scatterv_init);
  Call call(Function::Scatterv_init, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scatterv_init)
#endif

#ifdef RECORDER_HAVE_Scatterv_init_c
RECORDER_EXPORT int MPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                        const MPI_Aint displs[], MPI_Datatype sendtype,
                                        void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                        int root, MPI_Comm comm, MPI_Info info,
                                        MPI_Request* request) {
  RECORDER_REAL(Scatterv_init_c);
  Call call(Function::Scatterv_init_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                info, request);
  call.on(comm);
  call.root(root);
  if (!call.between()) {
    if (recvbuf == MPI_IN_PLACE) {
      all_data(call, Counts(sendcounts), sendtype);
    } else {
      call.data(recvcount, recvtype);
    }
  }
  call.enter();
  int outcome = real(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                     comm, info, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    met_often(call, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Scatterv_init_c)
#endif

#ifdef RECORDER_HAVE_Send
RECORDER_EXPORT int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                             MPI_Comm comm) {
  RECORDER_REAL(Send);
  Call call(Function::Send, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Send)
#endif

#ifdef RECORDER_HAVE_Send_c
RECORDER_EXPORT int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                               int tag, MPI_Comm comm) {
  RECORDER_REAL(Send_c);
  Call call(Function::Send_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Send_c)
#endif

#ifdef RECORDER_HAVE_Send_init
RECORDER_EXPORT int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                  int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Send_init);
  Call call(Function::Send_init, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Send_init)
#endif

#ifdef RECORDER_HAVE_Send_init_c
RECORDER_EXPORT int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype,
                                    int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Send_init_c);
  Call call(Function::Send_init_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Send_init_c)
#endif

#ifdef RECORDER_HAVE_Sendrecv
RECORDER_EXPORT int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                 int dest, int sendtag, void* recvbuf, int recvcount,
                                 MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                 MPI_Status* status) {
  RECORDER_REAL(Sendrecv);
  Call call(Function::Sendrecv, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, status);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(sendcount, sendtype);
  call.other_data(recvcount, recvtype);
  Forced forced(status);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                     source, recvtag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    exchanged(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Sendrecv)
#endif

#ifdef RECORDER_HAVE_Sendrecv_c
RECORDER_EXPORT int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   int dest, int sendtag, void* recvbuf, MPI_Count recvcount,
                                   MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                                   MPI_Status* status) {
  RECORDER_REAL(Sendrecv_c);
  Call call(Function::Sendrecv_c, RECORDER_CALLER);
  if (!call)
    return real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,
                recvtag, comm, status);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(sendcount, sendtype);
  call.other_data(recvcount, recvtype);
  Forced forced(status);
  call.enter();
  int outcome = real(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                     source, recvtag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    exchanged(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Sendrecv_c)
#endif

#ifdef RECORDER_HAVE_Sendrecv_replace
RECORDER_EXPORT int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest,
                                         int sendtag, int source, int recvtag, MPI_Comm comm,
                                         MPI_Status* status) {
  RECORDER_REAL(Sendrecv_replace);
  Call call(Function::Sendrecv_replace, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    exchanged(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Sendrecv_replace)
#endif

#ifdef RECORDER_HAVE_Sendrecv_replace_c
RECORDER_EXPORT int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype,
                                           int dest, int sendtag, int source, int recvtag,
                                           MPI_Comm comm, MPI_Status* status) {
  RECORDER_REAL(Sendrecv_replace_c);
  Call call(Function::Sendrecv_replace_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);
  call.on(comm);
  call.peer(dest);
  call.tag(sendtag);
  call.other_peer(source);
  call.other_tag(recvtag);
  call.data(count, datatype);
  Forced forced(status);
  call.enter();
  int outcome = real(buf, count, datatype, dest, sendtag, source, recvtag, comm, forced.get());
  call.leave();
  if (outcome == MPI_SUCCESS) call.found(*forced);
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    exchanged(call, *forced);
  }
  return outcome;
}
RECORDER_ALIAS(Sendrecv_replace_c)
#endif

#ifdef RECORDER_HAVE_Session_attach_buffer
RECORDER_EXPORT int MPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) {
  RECORDER_REAL(Session_attach_buffer);
  Call call(Function::Session_attach_buffer, RECORDER_CALLER);
  if (!call) return real(session, buffer, size);
  call.enter();
  int outcome = real(session, buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_attach_buffer)
#endif

#ifdef RECORDER_HAVE_Session_attach_buffer_c
RECORDER_EXPORT int MPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  RECORDER_REAL(Session_attach_buffer_c);
  Call call(Function::Session_attach_buffer_c, RECORDER_CALLER);
  if (!call) return real(session, buffer, size);
  call.enter();
  int outcome = real(session, buffer, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_attach_buffer_c)
#endif

#ifdef RECORDER_HAVE_Session_call_errhandler
RECORDER_EXPORT int MPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  RECORDER_REAL(Session_call_errhandler);
  Call call(Function::Session_call_errhandler, RECORDER_CALLER);
  if (!call) return real(session, errorcode);
  call.enter();
  int outcome = real(session, errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_call_errhandler)
#endif

#ifdef RECORDER_HAVE_Session_create_errhandler
RECORDER_EXPORT int MPI_Session_create_errhandler(
    MPI_Session_errhandler_function* session_errhandler_fn, MPI_Errhandler* errhandler) {
  RECORDER_REAL(Session_create_errhandler);
  Call call(Function::Session_create_errhandler, RECORDER_CALLER);
  if (!call) return real(session_errhandler_fn, errhandler);
  call.enter();
  int outcome = real(session_errhandler_fn, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_create_errhandler)
#endif

#ifdef RECORDER_HAVE_Session_detach_buffer
RECORDER_EXPORT int MPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  RECORDER_REAL(Session_detach_buffer);
  Call call(Function::Session_detach_buffer, RECORDER_CALLER);
  if (!call) return real(session, buffer_addr, size);
  call.enter();
  int outcome = real(session, buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_detach_buffer)
#endif

#ifdef RECORDER_HAVE_Session_detach_buffer_c
RECORDER_EXPORT int MPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr,
                                                MPI_Count* size) {
  RECORDER_REAL(Session_detach_buffer_c);
  Call call(Function::Session_detach_buffer_c, RECORDER_CALLER);
  if (!call) return real(session, buffer_addr, size);
  call.enter();
  int outcome = real(session, buffer_addr, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_detach_buffer_c)
#endif

#ifdef RECORDER_HAVE_Session_flush_buffer
RECORDER_EXPORT int MPI_Session_flush_buffer(MPI_Session session) {
  RECORDER_REAL(Session_flush_buffer);
  Call call(Function::Session_flush_buffer, RECORDER_CALLER);
  if (!call) return real(session);
  call.enter();
  int outcome = real(session);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_flush_buffer)
#endif

#ifdef RECORDER_HAVE_Session_get_errhandler
RECORDER_EXPORT int MPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  RECORDER_REAL(Session_get_errhandler);
  Call call(Function::Session_get_errhandler, RECORDER_CALLER);
  if (!call) return real(session, errhandler);
  call.enter();
  int outcome = real(session, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_get_errhandler)
#endif

#ifdef RECORDER_HAVE_Session_get_info
RECORDER_EXPORT int MPI_Session_get_info(MPI_Session session, MPI_Info* info_used) {
  RECORDER_REAL(Session_get_info);
  Call call(Function::Session_get_info, RECORDER_CALLER);
  if (!call) return real(session, info_used);
  call.enter();
  int outcome = real(session, info_used);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_get_info)
#endif

#ifdef RECORDER_HAVE_Session_get_nth_pset
RECORDER_EXPORT int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n,
                                             int* pset_len, char* pset_name) {
  RECORDER_REAL(Session_get_nth_pset);
  Call call(Function::Session_get_nth_pset, RECORDER_CALLER);
  if (!call) return real(session, info, n, pset_len, pset_name);
  call.enter();
  int outcome = real(session, info, n, pset_len, pset_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_get_nth_pset)
#endif

#ifdef RECORDER_HAVE_Session_get_num_psets
RECORDER_EXPORT int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info,
                                              int* npset_names) {
  RECORDER_REAL(Session_get_num_psets);
  Call call(Function::Session_get_num_psets, RECORDER_CALLER);
  if (!call) return real(session, info, npset_names);
  call.enter();
  int outcome = real(session, info, npset_names);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_get_num_psets)
#endif

#ifdef RECORDER_HAVE_Session_get_pset_info
RECORDER_EXPORT int MPI_Session_get_pset_info(MPI_Session session, const char* pset_name,
                                              MPI_Info* info) {
  RECORDER_REAL(Session_get_pset_info);
  Call call(Function::Session_get_pset_info, RECORDER_CALLER);
  if (!call) return real(session, pset_name, info);
  call.enter();
  int outcome = real(session, pset_name, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_get_pset_info)
#endif

#ifdef RECORDER_HAVE_Session_iflush_buffer
RECORDER_EXPORT int MPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  RECORDER_REAL(Session_iflush_buffer);
  Call call(Function::Session_iflush_buffer, RECORDER_CALLER);
  if (!call) return real(session, request);
  call.enter();
  int outcome = real(session, request);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_iflush_buffer)
#endif

#ifdef RECORDER_HAVE_Session_set_errhandler
RECORDER_EXPORT int MPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  RECORDER_REAL(Session_set_errhandler);
  Call call(Function::Session_set_errhandler, RECORDER_CALLER);
  if (!call) return real(session, errhandler);
  call.enter();
  int outcome = real(session, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Session_set_errhandler)
#endif

#ifdef RECORDER_HAVE_Ssend
RECORDER_EXPORT int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                              MPI_Comm comm) {
  RECORDER_REAL(Ssend);
  Call call(Function::Ssend, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Ssend)
#endif

#ifdef RECORDER_HAVE_Ssend_c
RECORDER_EXPORT int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                                int tag, MPI_Comm comm) {
  RECORDER_REAL(Ssend_c);
  Call call(Function::Ssend_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm);
  call.leave();
  call.count_message();
  if (outcome == MPI_SUCCESS) {
    sent(call);
  }
  return outcome;
}
RECORDER_ALIAS(Ssend_c)
#endif

#ifdef RECORDER_HAVE_Ssend_init
RECORDER_EXPORT int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest,
                                   int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ssend_init);
  Call call(Function::Ssend_init, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ssend_init)
#endif

#ifdef RECORDER_HAVE_Ssend_init_c
RECORDER_EXPORT int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype,
                                     int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  RECORDER_REAL(Ssend_init_c);
  Call call(Function::Ssend_init_c, RECORDER_CALLER);
  if (!call) return real(buf, count, datatype, dest, tag, comm, request);
  call.on(comm);
  call.peer(dest);
  call.tag(tag);
  call.data(count, datatype);
  call.enter();
  int outcome = real(buf, count, datatype, dest, tag, comm, request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    defined(call, LinkKind::kSend, *request);
  }
  return outcome;
}
RECORDER_ALIAS(Ssend_init_c)
#endif

#ifdef RECORDER_HAVE_Start
RECORDER_EXPORT int MPI_Start(MPI_Request* request) {
  RECORDER_REAL(Start);
  Call call(Function::Start, RECORDER_CALLER);
  if (!call) return real(request);
  call.enter();
  int outcome = real(request);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    begun(call, 1, request);
  }
  return outcome;
}
RECORDER_ALIAS(Start)
#endif

#ifdef RECORDER_HAVE_Startall
RECORDER_EXPORT int MPI_Startall(int count, MPI_Request array_of_requests[]) {
  RECORDER_REAL(Startall);
  Call call(Function::Startall, RECORDER_CALLER);
  if (!call) return real(count, array_of_requests);
  call.requests(count);
  call.enter();
  int outcome = real(count, array_of_requests);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    begun(call, count, array_of_requests);
  }
  return outcome;
}
RECORDER_ALIAS(Startall)
#endif

#ifdef RECORDER_HAVE_Test
RECORDER_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  RECORDER_REAL(Test);
  Call call(Function::Test, RECORDER_CALLER);
  if (!call) return real(request, flag, status);
  Completion completion(call, 1, request, status, kTest, false);
  call.enter();
  int outcome = real(request, flag, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (*flag) {
      completion.one(0);
    } else {
      completion.none();
    }
  }
  return outcome;
}
RECORDER_ALIAS(Test)
#endif

#ifdef RECORDER_HAVE_Test_cancelled
RECORDER_EXPORT int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  RECORDER_REAL(Test_cancelled);
  Call call(Function::Test_cancelled, RECORDER_CALLER);
  if (!call) return real(status, flag);
  call.enter();
  int outcome = real(status, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Test_cancelled)
#endif

#ifdef RECORDER_HAVE_Testall
RECORDER_EXPORT int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag,
                                MPI_Status array_of_statuses[]) {
  RECORDER_REAL(Testall);
  Call call(Function::Testall, RECORDER_CALLER);
  if (!call) return real(count, array_of_requests, flag, array_of_statuses);
  call.requests(count);
  Completion completion(call, count, array_of_requests, array_of_statuses, kTest, true);
  call.enter();
  int outcome = real(count, array_of_requests, flag, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (*flag) {
      completion.all();
    } else {
      completion.none();
    }
  }
  return outcome;
}
RECORDER_ALIAS(Testall)
#endif

#ifdef RECORDER_HAVE_Testany
RECORDER_EXPORT int MPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag,
                                MPI_Status* status) {
  RECORDER_REAL(Testany);
  Call call(Function::Testany, RECORDER_CALLER);
  if (!call) return real(count, array_of_requests, index, flag, status);
  call.requests(count);
  Completion completion(call, count, array_of_requests, status, kTest, false);
  call.enter();
  int outcome = real(count, array_of_requests, index, flag, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (*flag) {
      completion.one(*index);
    } else {
      completion.none();
    }
  }
  return outcome;
}
RECORDER_ALIAS(Testany)
#endif

#ifdef RECORDER_HAVE_Testsome
RECORDER_EXPORT int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount,
                                 int array_of_indices[], MPI_Status array_of_statuses[]) {
  RECORDER_REAL(Testsome);
  Call call(Function::Testsome, RECORDER_CALLER);
  if (!call) return real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  call.requests(incount);
  Completion completion(call, incount, array_of_requests, array_of_statuses, kTest, true);
  call.enter();
  int outcome = real(incount, array_of_requests, outcount, array_of_indices, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    if (*outcount > 0) {
      completion.some(*outcount, array_of_indices);
    } else {
      completion.none();
    }
  }
  return outcome;
}
RECORDER_ALIAS(Testsome)
#endif

#ifdef RECORDER_HAVE_Topo_test
RECORDER_EXPORT int MPI_Topo_test(MPI_Comm comm, int* status) {
  RECORDER_REAL(Topo_test);
  Call call(Function::Topo_test, RECORDER_CALLER);
  if (!call) return real(comm, status);
  call.on(comm);
  call.enter();
  int outcome = real(comm, status);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Topo_test)
#endif

#ifdef RECORDER_HAVE_Type_commit
RECORDER_EXPORT int MPI_Type_commit(MPI_Datatype* datatype) {
  RECORDER_REAL(Type_commit);
  Call call(Function::Type_commit, RECORDER_CALLER);
  if (!call) return real(datatype);
  call.enter();
  int outcome = real(datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_commit)
#endif

#ifdef RECORDER_HAVE_Type_contiguous
RECORDER_EXPORT int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_contiguous);
  Call call(Function::Type_contiguous, RECORDER_CALLER);
  if (!call) return real(count, oldtype, newtype);
  call.enter();
  int outcome = real(count, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_contiguous)
#endif

#ifdef RECORDER_HAVE_Type_contiguous_c
RECORDER_EXPORT int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype,
                                          MPI_Datatype* newtype) {
  RECORDER_REAL(Type_contiguous_c);
  Call call(Function::Type_contiguous_c, RECORDER_CALLER);
  if (!call) return real(count, oldtype, newtype);
  call.enter();
  int outcome = real(count, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_contiguous_c)
#endif

#ifdef RECORDER_HAVE_Type_create_darray
RECORDER_EXPORT int MPI_Type_create_darray(int size, int rank, int ndims,
                                           const int array_of_gsizes[],
                                           const int array_of_distribs[],
                                           const int array_of_dargs[], const int array_of_psizes[],
                                           int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_darray);
  Call call(Function::Type_create_darray, RECORDER_CALLER);
  if (!call)
    return real(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs,
                array_of_psizes, order, oldtype, newtype);
  call.enter();
  int outcome = real(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs,
                     array_of_psizes, order, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_darray)
#endif

#ifdef RECORDER_HAVE_Type_create_darray_c
RECORDER_EXPORT int MPI_Type_create_darray_c(int size, int rank, int ndims,
                                             const MPI_Count array_of_gsizes[],
                                             const int array_of_distribs[],
                                             const int array_of_dargs[],
                                             const int array_of_psizes[], int order,
                                             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_darray_c);
  Call call(Function::Type_create_darray_c, RECORDER_CALLER);
  if (!call)
    return real(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs,
                array_of_psizes, order, oldtype, newtype);
  call.enter();
  int outcome = real(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs,
                     array_of_psizes, order, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_darray_c)
#endif

#ifdef RECORDER_HAVE_Type_create_f90_complex
RECORDER_EXPORT int MPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_f90_complex);
  Call call(Function::Type_create_f90_complex, RECORDER_CALLER);
  if (!call) return real(p, r, newtype);
  call.enter();
  int outcome = real(p, r, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_f90_complex)
#endif

#ifdef RECORDER_HAVE_Type_create_f90_integer
RECORDER_EXPORT int MPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_f90_integer);
  Call call(Function::Type_create_f90_integer, RECORDER_CALLER);
  if (!call) return real(r, newtype);
  call.enter();
  int outcome = real(r, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_f90_integer)
#endif

#ifdef RECORDER_HAVE_Type_create_f90_real
RECORDER_EXPORT int MPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_f90_real);
  Call call(Function::Type_create_f90_real, RECORDER_CALLER);
  if (!call) return real(p, r, newtype);
  call.enter();
  int outcome = real(p, r, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_f90_real)
#endif

#ifdef RECORDER_HAVE_Type_create_hindexed
RECORDER_EXPORT int MPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                                             const MPI_Aint array_of_displacements[],
                                             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hindexed);
  Call call(Function::Type_create_hindexed, RECORDER_CALLER);
  if (!call) return real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hindexed)
#endif

#ifdef RECORDER_HAVE_Type_create_hindexed_c
RECORDER_EXPORT int MPI_Type_create_hindexed_c(MPI_Count count,
                                               const MPI_Count array_of_blocklengths[],
                                               const MPI_Count array_of_displacements[],
                                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hindexed_c);
  Call call(Function::Type_create_hindexed_c, RECORDER_CALLER);
  if (!call) return real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hindexed_c)
#endif

#ifdef RECORDER_HAVE_Type_create_hindexed_block
RECORDER_EXPORT int MPI_Type_create_hindexed_block(int count, int blocklength,
                                                   const MPI_Aint array_of_displacements[],
                                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hindexed_block);
  Call call(Function::Type_create_hindexed_block, RECORDER_CALLER);
  if (!call) return real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hindexed_block)
#endif

#ifdef RECORDER_HAVE_Type_create_hindexed_block_c
RECORDER_EXPORT int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                                     const MPI_Count array_of_displacements[],
                                                     MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hindexed_block_c);
  Call call(Function::Type_create_hindexed_block_c, RECORDER_CALLER);
  if (!call) return real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hindexed_block_c)
#endif

#ifdef RECORDER_HAVE_Type_create_hvector
RECORDER_EXPORT int MPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride,
                                            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hvector);
  Call call(Function::Type_create_hvector, RECORDER_CALLER);
  if (!call) return real(count, blocklength, stride, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, stride, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hvector)
#endif

#ifdef RECORDER_HAVE_Type_create_hvector_c
RECORDER_EXPORT int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength,
                                              MPI_Count stride, MPI_Datatype oldtype,
                                              MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_hvector_c);
  Call call(Function::Type_create_hvector_c, RECORDER_CALLER);
  if (!call) return real(count, blocklength, stride, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, stride, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_hvector_c)
#endif

#ifdef RECORDER_HAVE_Type_create_indexed_block
RECORDER_EXPORT int MPI_Type_create_indexed_block(int count, int blocklength,
                                                  const int array_of_displacements[],
                                                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_indexed_block);
  Call call(Function::Type_create_indexed_block, RECORDER_CALLER);
  if (!call) return real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_indexed_block)
#endif

#ifdef RECORDER_HAVE_Type_create_indexed_block_c
RECORDER_EXPORT int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                                    const MPI_Count array_of_displacements[],
                                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_indexed_block_c);
  Call call(Function::Type_create_indexed_block_c, RECORDER_CALLER);
  if (!call) return real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_indexed_block_c)
#endif

#ifdef RECORDER_HAVE_Type_create_keyval
RECORDER_EXPORT int MPI_Type_create_keyval(MPI_Type_copy_attr_function* type_copy_attr_fn,
                                           MPI_Type_delete_attr_function* type_delete_attr_fn,
                                           int* type_keyval, void* extra_state) {
  RECORDER_REAL(Type_create_keyval);
  Call call(Function::Type_create_keyval, RECORDER_CALLER);
  if (!call) return real(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
  call.enter();
  int outcome = real(type_copy_attr_fn, type_delete_attr_fn, type_keyval, extra_state);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_keyval)
#endif

#ifdef RECORDER_HAVE_Type_create_resized
RECORDER_EXPORT int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent,
                                            MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_resized);
  Call call(Function::Type_create_resized, RECORDER_CALLER);
  if (!call) return real(oldtype, lb, extent, newtype);
  call.enter();
  int outcome = real(oldtype, lb, extent, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_resized)
#endif

#ifdef RECORDER_HAVE_Type_create_resized_c
RECORDER_EXPORT int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent,
                                              MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_resized_c);
  Call call(Function::Type_create_resized_c, RECORDER_CALLER);
  if (!call) return real(oldtype, lb, extent, newtype);
  call.enter();
  int outcome = real(oldtype, lb, extent, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_resized_c)
#endif

#ifdef RECORDER_HAVE_Type_create_struct
RECORDER_EXPORT int MPI_Type_create_struct(int count, const int array_of_blocklengths[],
                                           const MPI_Aint array_of_displacements[],
                                           const MPI_Datatype array_of_types[],
                                           MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_struct);
  Call call(Function::Type_create_struct, RECORDER_CALLER);
  if (!call)
    return real(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_struct)
#endif

#ifdef RECORDER_HAVE_Type_create_struct_c
RECORDER_EXPORT int MPI_Type_create_struct_c(MPI_Count count,
                                             const MPI_Count array_of_blocklengths[],
                                             const MPI_Count array_of_displacements[],
                                             const MPI_Datatype array_of_types[],
                                             MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_struct_c);
  Call call(Function::Type_create_struct_c, RECORDER_CALLER);
  if (!call)
    return real(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_struct_c)
#endif

#ifdef RECORDER_HAVE_Type_create_subarray
RECORDER_EXPORT int MPI_Type_create_subarray(int ndims, const int array_of_sizes[],
                                             const int array_of_subsizes[],
                                             const int array_of_starts[], int order,
                                             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_subarray);
  Call call(Function::Type_create_subarray, RECORDER_CALLER);
  if (!call)
    return real(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  call.enter();
  int outcome =
      real(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_subarray)
#endif

#ifdef RECORDER_HAVE_Type_create_subarray_c
RECORDER_EXPORT int MPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                                               const MPI_Count array_of_subsizes[],
                                               const MPI_Count array_of_starts[], int order,
                                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_create_subarray_c);
  Call call(Function::Type_create_subarray_c, RECORDER_CALLER);
  if (!call)
    return real(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  call.enter();
  int outcome =
      real(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_create_subarray_c)
#endif

#ifdef RECORDER_HAVE_Type_delete_attr
RECORDER_EXPORT int MPI_Type_delete_attr(MPI_Datatype datatype, int type_keyval) {
  RECORDER_REAL(Type_delete_attr);
  Call call(Function::Type_delete_attr, RECORDER_CALLER);
  if (!call) return real(datatype, type_keyval);
  call.enter();
  int outcome = real(datatype, type_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_delete_attr)
#endif

#ifdef RECORDER_HAVE_Type_dup
RECORDER_EXPORT int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_dup);
  Call call(Function::Type_dup, RECORDER_CALLER);
  if (!call) return real(oldtype, newtype);
  call.enter();
  int outcome = real(oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_dup)
#endif

#ifdef RECORDER_HAVE_Type_free
RECORDER_EXPORT int MPI_Type_free(MPI_Datatype* datatype) {
  RECORDER_REAL(Type_free);
  Call call(Function::Type_free, RECORDER_CALLER);
  if (!call) return real(datatype);
  call.run().layouts.freed(*datatype);
  call.enter();
  int outcome = real(datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_free)
#endif

#ifdef RECORDER_HAVE_Type_free_keyval
RECORDER_EXPORT int MPI_Type_free_keyval(int* type_keyval) {
  RECORDER_REAL(Type_free_keyval);
  Call call(Function::Type_free_keyval, RECORDER_CALLER);
  if (!call) return real(type_keyval);
  call.enter();
  int outcome = real(type_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_free_keyval)
#endif

#ifdef RECORDER_HAVE_Type_indexed
RECORDER_EXPORT int MPI_Type_indexed(int count, const int array_of_blocklengths[],
                                     const int array_of_displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype* newtype) {
  RECORDER_REAL(Type_indexed);
  Call call(Function::Type_indexed, RECORDER_CALLER);
  if (!call) return real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_indexed)
#endif

#ifdef RECORDER_HAVE_Type_indexed_c
RECORDER_EXPORT int MPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                       const MPI_Count array_of_displacements[],
                                       MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_indexed_c);
  Call call(Function::Type_indexed_c, RECORDER_CALLER);
  if (!call) return real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.enter();
  int outcome = real(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_indexed_c)
#endif

#ifdef RECORDER_HAVE_Type_match_size
RECORDER_EXPORT int MPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  RECORDER_REAL(Type_match_size);
  Call call(Function::Type_match_size, RECORDER_CALLER);
  if (!call) return real(typeclass, size, datatype);
  call.enter();
  int outcome = real(typeclass, size, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_match_size)
#endif

#ifdef RECORDER_HAVE_Type_set_attr
RECORDER_EXPORT int MPI_Type_set_attr(MPI_Datatype datatype, int type_keyval, void* attribute_val) {
  RECORDER_REAL(Type_set_attr);
  Call call(Function::Type_set_attr, RECORDER_CALLER);
  if (!call) return real(datatype, type_keyval, attribute_val);
  call.enter();
  int outcome = real(datatype, type_keyval, attribute_val);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_set_attr)
#endif

#ifdef RECORDER_HAVE_Type_set_name
RECORDER_EXPORT int MPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  RECORDER_REAL(Type_set_name);
  Call call(Function::Type_set_name, RECORDER_CALLER);
  if (!call) return real(datatype, type_name);
  call.enter();
  int outcome = real(datatype, type_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_set_name)
#endif

#ifdef RECORDER_HAVE_Type_vector
RECORDER_EXPORT int MPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                                    MPI_Datatype* newtype) {
  RECORDER_REAL(Type_vector);
  Call call(Function::Type_vector, RECORDER_CALLER);
  if (!call) return real(count, blocklength, stride, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, stride, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_vector)
#endif

#ifdef RECORDER_HAVE_Type_vector_c
RECORDER_EXPORT int MPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride,
                                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  RECORDER_REAL(Type_vector_c);
  Call call(Function::Type_vector_c, RECORDER_CALLER);
  if (!call) return real(count, blocklength, stride, oldtype, newtype);
  call.enter();
  int outcome = real(count, blocklength, stride, oldtype, newtype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Type_vector_c)
#endif

#ifdef RECORDER_HAVE_Unpack
RECORDER_EXPORT int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf,
                               int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  RECORDER_REAL(Unpack);
  Call call(Function::Unpack, RECORDER_CALLER);
  if (!call) return real(inbuf, insize, position, outbuf, outcount, datatype, comm);
  call.on(comm);
  call.data(outcount, datatype);
  call.enter();
  int outcome = real(inbuf, insize, position, outbuf, outcount, datatype, comm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Unpack)
#endif

#ifdef RECORDER_HAVE_Unpack_c
RECORDER_EXPORT int MPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position,
                                 void* outbuf, MPI_Count outcount, MPI_Datatype datatype,
                                 MPI_Comm comm) {
  RECORDER_REAL(Unpack_c);
  Call call(Function::Unpack_c, RECORDER_CALLER);
  if (!call) return real(inbuf, insize, position, outbuf, outcount, datatype, comm);
  call.on(comm);
  call.data(outcount, datatype);
  call.enter();
  int outcome = real(inbuf, insize, position, outbuf, outcount, datatype, comm);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Unpack_c)
#endif

#ifdef RECORDER_HAVE_Unpack_external
RECORDER_EXPORT int MPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize,
                                        MPI_Aint* position, void* outbuf, int outcount,
                                        MPI_Datatype datatype) {
  RECORDER_REAL(Unpack_external);
  Call call(Function::Unpack_external, RECORDER_CALLER);
  if (!call) return real(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  call.enter();
  int outcome = real(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Unpack_external)
#endif

#ifdef RECORDER_HAVE_Unpack_external_c
RECORDER_EXPORT int MPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize,
                                          MPI_Count* position, void* outbuf, MPI_Count outcount,
                                          MPI_Datatype datatype) {
  RECORDER_REAL(Unpack_external_c);
  Call call(Function::Unpack_external_c, RECORDER_CALLER);
  if (!call) return real(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  call.enter();
  int outcome = real(datarep, inbuf, insize, position, outbuf, outcount, datatype);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Unpack_external_c)
#endif

#ifdef RECORDER_HAVE_Unpublish_name
RECORDER_EXPORT int MPI_Unpublish_name(const char* service_name, MPI_Info info,
                                       const char* port_name) {
  RECORDER_REAL(Unpublish_name);
  Call call(Function::Unpublish_name, RECORDER_CALLER);
  if (!call) return real(service_name, info, port_name);
  call.enter();
  int outcome = real(service_name, info, port_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Unpublish_name)
#endif

#ifdef RECORDER_HAVE_Wait
RECORDER_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  RECORDER_REAL(Wait);
  Call call(Function::Wait, RECORDER_CALLER);
  if (!call) return real(request, status);
  Completion completion(call, 1, request, status, kWait, false);
  call.enter();
  int outcome = real(request, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    completion.one(0);
  }
  return outcome;
}
RECORDER_ALIAS(Wait)
#endif

#ifdef RECORDER_HAVE_Waitall
RECORDER_EXPORT int MPI_Waitall(int count, MPI_Request array_of_requests[],
                                MPI_Status array_of_statuses[]) {
  RECORDER_REAL(Waitall);
  Call call(Function::Waitall, RECORDER_CALLER);
  if (!call) return real(count, array_of_requests, array_of_statuses);
  call.requests(count);
  Completion completion(call, count, array_of_requests, array_of_statuses, kWaitall, true);
  call.enter();
  int outcome = real(count, array_of_requests, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    completion.all();
  }
  return outcome;
}
RECORDER_ALIAS(Waitall)
#endif

#ifdef RECORDER_HAVE_Waitany
RECORDER_EXPORT int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index,
                                MPI_Status* status) {
  RECORDER_REAL(Waitany);
  Call call(Function::Waitany, RECORDER_CALLER);
  if (!call) return real(count, array_of_requests, index, status);
  call.requests(count);
  Completion completion(call, count, array_of_requests, status, kWaitany, false);
  call.enter();
  int outcome = real(count, array_of_requests, index, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    completion.one(*index);
  }
  return outcome;
}
RECORDER_ALIAS(Waitany)
#endif

#ifdef RECORDER_HAVE_Waitsome
RECORDER_EXPORT int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount,
                                 int array_of_indices[], MPI_Status array_of_statuses[]) {
  RECORDER_REAL(Waitsome);
  Call call(Function::Waitsome, RECORDER_CALLER);
  if (!call) return real(incount, array_of_requests, outcount, array_of_indices, array_of_statuses);
  call.requests(incount);
  Completion completion(call, incount, array_of_requests, array_of_statuses, kWaitsome, true);
  call.enter();
  int outcome = real(incount, array_of_requests, outcount, array_of_indices, completion.statuses());
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    completion.some(*outcount, array_of_indices);
  }
  return outcome;
}
RECORDER_ALIAS(Waitsome)
#endif

#ifdef RECORDER_HAVE_Win_allocate
RECORDER_EXPORT int MPI_Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm,
                                     void* baseptr, MPI_Win* win) {
  RECORDER_REAL(Win_allocate);
  Call call(Function::Win_allocate, RECORDER_CALLER);
  if (!call) return real(size, disp_unit, info, comm, baseptr, win);
  call.on(comm);
  call.enter();
  int outcome = real(size, disp_unit, info, comm, baseptr, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "allocate", size);
  }
  return outcome;
}
RECORDER_ALIAS(Win_allocate)
#endif

#ifdef RECORDER_HAVE_Win_allocate_c
RECORDER_EXPORT int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                       MPI_Comm comm, void* baseptr, MPI_Win* win) {
  RECORDER_REAL(Win_allocate_c);
  Call call(Function::Win_allocate_c, RECORDER_CALLER);
  if (!call) return real(size, disp_unit, info, comm, baseptr, win);
  call.on(comm);
  call.enter();
  int outcome = real(size, disp_unit, info, comm, baseptr, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "allocate", size);
  }
  return outcome;
}
RECORDER_ALIAS(Win_allocate_c)
#endif

#ifdef RECORDER_HAVE_Win_allocate_shared
RECORDER_EXPORT int MPI_Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info,
                                            MPI_Comm comm, void* baseptr, MPI_Win* win) {
  RECORDER_REAL(Win_allocate_shared);
  Call call(Function::Win_allocate_shared, RECORDER_CALLER);
  if (!call) return real(size, disp_unit, info, comm, baseptr, win);
  call.on(comm);
  call.enter();
  int outcome = real(size, disp_unit, info, comm, baseptr, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "shared", size);
    ++call.run().shared_windows;
  }
  return outcome;
}
RECORDER_ALIAS(Win_allocate_shared)
#endif

#ifdef RECORDER_HAVE_Win_allocate_shared_c
RECORDER_EXPORT int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                              MPI_Comm comm, void* baseptr, MPI_Win* win) {
  RECORDER_REAL(Win_allocate_shared_c);
  Call call(Function::Win_allocate_shared_c, RECORDER_CALLER);
  if (!call) return real(size, disp_unit, info, comm, baseptr, win);
  call.on(comm);
  call.enter();
  int outcome = real(size, disp_unit, info, comm, baseptr, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "shared", size);
    ++call.run().shared_windows;
  }
  return outcome;
}
RECORDER_ALIAS(Win_allocate_shared_c)
#endif

#ifdef RECORDER_HAVE_Win_attach
RECORDER_EXPORT int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  RECORDER_REAL(Win_attach);
  Call call(Function::Win_attach, RECORDER_CALLER);
  if (!call) return real(win, base, size);
  call.window(win);
  call.enter();
  int outcome = real(win, base, size);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_attach)
#endif

#ifdef RECORDER_HAVE_Win_call_errhandler
RECORDER_EXPORT int MPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  RECORDER_REAL(Win_call_errhandler);
  Call call(Function::Win_call_errhandler, RECORDER_CALLER);
  if (!call) return real(win, errorcode);
  call.window(win);
  call.enter();
  int outcome = real(win, errorcode);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_call_errhandler)
#endif

#ifdef RECORDER_HAVE_Win_complete
RECORDER_EXPORT int MPI_Win_complete(MPI_Win win) {
  RECORDER_REAL(Win_complete);
  Call call(Function::Win_complete, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    access_ends(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_complete)
#endif

#ifdef RECORDER_HAVE_Win_create
RECORDER_EXPORT int MPI_Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info,
                                   MPI_Comm comm, MPI_Win* win) {
  RECORDER_REAL(Win_create);
  Call call(Function::Win_create, RECORDER_CALLER);
  if (!call) return real(base, size, disp_unit, info, comm, win);
  call.on(comm);
  call.enter();
  int outcome = real(base, size, disp_unit, info, comm, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "create", size);
  }
  return outcome;
}
RECORDER_ALIAS(Win_create)
#endif

#ifdef RECORDER_HAVE_Win_create_c
RECORDER_EXPORT int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info,
                                     MPI_Comm comm, MPI_Win* win) {
  RECORDER_REAL(Win_create_c);
  Call call(Function::Win_create_c, RECORDER_CALLER);
  if (!call) return real(base, size, disp_unit, info, comm, win);
  call.on(comm);
  call.enter();
  int outcome = real(base, size, disp_unit, info, comm, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "create", size);
  }
  return outcome;
}
RECORDER_ALIAS(Win_create_c)
#endif

#ifdef RECORDER_HAVE_Win_create_dynamic
RECORDER_EXPORT int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  RECORDER_REAL(Win_create_dynamic);
  Call call(Function::Win_create_dynamic, RECORDER_CALLER);
  if (!call) return real(info, comm, win);
  call.on(comm);
  call.enter();
  int outcome = real(info, comm, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    window_made(call, *win, "dynamic", 0);
  }
  return outcome;
}
RECORDER_ALIAS(Win_create_dynamic)
#endif

#ifdef RECORDER_HAVE_Win_create_errhandler
RECORDER_EXPORT int MPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn,
                                              MPI_Errhandler* errhandler) {
  RECORDER_REAL(Win_create_errhandler);
  Call call(Function::Win_create_errhandler, RECORDER_CALLER);
  if (!call) return real(win_errhandler_fn, errhandler);
  call.enter();
  int outcome = real(win_errhandler_fn, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_create_errhandler)
#endif

#ifdef RECORDER_HAVE_Win_create_keyval
RECORDER_EXPORT int MPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                                          MPI_Win_delete_attr_function* win_delete_attr_fn,
                                          int* win_keyval, void* extra_state) {
  RECORDER_REAL(Win_create_keyval);
  Call call(Function::Win_create_keyval, RECORDER_CALLER);
  if (!call) return real(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
  call.enter();
  int outcome = real(win_copy_attr_fn, win_delete_attr_fn, win_keyval, extra_state);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_create_keyval)
#endif

#ifdef RECORDER_HAVE_Win_delete_attr
RECORDER_EXPORT int MPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  RECORDER_REAL(Win_delete_attr);
  Call call(Function::Win_delete_attr, RECORDER_CALLER);
  if (!call) return real(win, win_keyval);
  call.window(win);
  call.enter();
  int outcome = real(win, win_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_delete_attr)
#endif

#ifdef RECORDER_HAVE_Win_detach
RECORDER_EXPORT int MPI_Win_detach(MPI_Win win, const void* base) {
  RECORDER_REAL(Win_detach);
  Call call(Function::Win_detach, RECORDER_CALLER);
  if (!call) return real(win, base);
  call.window(win);
  call.enter();
  int outcome = real(win, base);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_detach)
#endif

#ifdef RECORDER_HAVE_Win_fence
RECORDER_EXPORT int MPI_Win_fence(int assert, MPI_Win win) {
  RECORDER_REAL(Win_fence);
  Call call(Function::Win_fence, RECORDER_CALLER);
  if (!call) return real(assert, win);
  call.window(win);
  call.enter();
  int outcome = real(assert, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    fenced(call, assert);
  }
  return outcome;
}
RECORDER_ALIAS(Win_fence)
#endif

#ifdef RECORDER_HAVE_Win_flush
RECORDER_EXPORT int MPI_Win_flush(int rank, MPI_Win win) {
  RECORDER_REAL(Win_flush);
  Call call(Function::Win_flush, RECORDER_CALLER);
  if (!call) return real(rank, win);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(rank, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    flushed(call, rank, false);
  }
  return outcome;
}
RECORDER_ALIAS(Win_flush)
#endif

#ifdef RECORDER_HAVE_Win_flush_all
RECORDER_EXPORT int MPI_Win_flush_all(MPI_Win win) {
  RECORDER_REAL(Win_flush_all);
  Call call(Function::Win_flush_all, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    flushed(call, 0, true);
  }
  return outcome;
}
RECORDER_ALIAS(Win_flush_all)
#endif

#ifdef RECORDER_HAVE_Win_flush_local
RECORDER_EXPORT int MPI_Win_flush_local(int rank, MPI_Win win) {
  RECORDER_REAL(Win_flush_local);
  Call call(Function::Win_flush_local, RECORDER_CALLER);
  if (!call) return real(rank, win);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(rank, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    flushed(call, rank, false);
  }
  return outcome;
}
RECORDER_ALIAS(Win_flush_local)
#endif

#ifdef RECORDER_HAVE_Win_flush_local_all
RECORDER_EXPORT int MPI_Win_flush_local_all(MPI_Win win) {
  RECORDER_REAL(Win_flush_local_all);
  Call call(Function::Win_flush_local_all, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    flushed(call, 0, true);
  }
  return outcome;
}
RECORDER_ALIAS(Win_flush_local_all)
#endif

#ifdef RECORDER_HAVE_Win_free
RECORDER_EXPORT int MPI_Win_free(MPI_Win* win) {
  RECORDER_REAL(Win_free);
  Call call(Function::Win_free, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(*win);
  MPI_Win freed = *win;
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    call.run().windows.freed(freed);
  }
  return outcome;
}
RECORDER_ALIAS(Win_free)
#endif

#ifdef RECORDER_HAVE_Win_free_keyval
RECORDER_EXPORT int MPI_Win_free_keyval(int* win_keyval) {
  RECORDER_REAL(Win_free_keyval);
  Call call(Function::Win_free_keyval, RECORDER_CALLER);
  if (!call) return real(win_keyval);
  call.enter();
  int outcome = real(win_keyval);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_free_keyval)
#endif

#ifdef RECORDER_HAVE_Win_get_attr
RECORDER_EXPORT int MPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  RECORDER_REAL(Win_get_attr);
  Call call(Function::Win_get_attr, RECORDER_CALLER);
  if (!call) return real(win, win_keyval, attribute_val, flag);
  call.window(win);
  call.enter();
  int outcome = real(win, win_keyval, attribute_val, flag);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_get_attr)
#endif

#ifdef RECORDER_HAVE_Win_get_errhandler
RECORDER_EXPORT int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  RECORDER_REAL(Win_get_errhandler);
  Call call(Function::Win_get_errhandler, RECORDER_CALLER);
  if (!call) return real(win, errhandler);
  call.window(win);
  call.enter();
  int outcome = real(win, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_get_errhandler)
#endif

#ifdef RECORDER_HAVE_Win_get_group
RECORDER_EXPORT int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  RECORDER_REAL(Win_get_group);
  Call call(Function::Win_get_group, RECORDER_CALLER);
  if (!call) return real(win, group);
  call.window(win);
  call.enter();
  int outcome = real(win, group);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_get_group)
#endif

#ifdef RECORDER_HAVE_Win_get_info
RECORDER_EXPORT int MPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  RECORDER_REAL(Win_get_info);
  Call call(Function::Win_get_info, RECORDER_CALLER);
  if (!call) return real(win, info_used);
  call.window(win);
  call.enter();
  int outcome = real(win, info_used);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_get_info)
#endif

#ifdef RECORDER_HAVE_Win_get_name
RECORDER_EXPORT int MPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  RECORDER_REAL(Win_get_name);
  Call call(Function::Win_get_name, RECORDER_CALLER);
  if (!call) return real(win, win_name, resultlen);
  call.window(win);
  call.enter();
  int outcome = real(win, win_name, resultlen);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_get_name)
#endif

#ifdef RECORDER_HAVE_Win_lock
RECORDER_EXPORT int MPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  RECORDER_REAL(Win_lock);
  Call call(Function::Win_lock, RECORDER_CALLER);
  if (!call) return real(lock_type, rank, assert, win);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(lock_type, rank, assert, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    locked(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_lock)
#endif

#ifdef RECORDER_HAVE_Win_lock_all
RECORDER_EXPORT int MPI_Win_lock_all(int assert, MPI_Win win) {
  RECORDER_REAL(Win_lock_all);
  Call call(Function::Win_lock_all, RECORDER_CALLER);
  if (!call) return real(assert, win);
  call.window(win);
  call.enter();
  int outcome = real(assert, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    locked(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_lock_all)
#endif

#ifdef RECORDER_HAVE_Win_post
RECORDER_EXPORT int MPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  RECORDER_REAL(Win_post);
  Call call(Function::Win_post, RECORDER_CALLER);
  if (!call) return real(group, assert, win);
  call.window(win);
  call.enter();
  int outcome = real(group, assert, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    exposure_begins(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_post)
#endif

#ifdef RECORDER_HAVE_Win_set_attr
RECORDER_EXPORT int MPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  RECORDER_REAL(Win_set_attr);
  Call call(Function::Win_set_attr, RECORDER_CALLER);
  if (!call) return real(win, win_keyval, attribute_val);
  call.window(win);
  call.enter();
  int outcome = real(win, win_keyval, attribute_val);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_set_attr)
#endif

#ifdef RECORDER_HAVE_Win_set_errhandler
RECORDER_EXPORT int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  RECORDER_REAL(Win_set_errhandler);
  Call call(Function::Win_set_errhandler, RECORDER_CALLER);
  if (!call) return real(win, errhandler);
  call.window(win);
  call.enter();
  int outcome = real(win, errhandler);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_set_errhandler)
#endif

#ifdef RECORDER_HAVE_Win_set_info
RECORDER_EXPORT int MPI_Win_set_info(MPI_Win win, MPI_Info info) {
  RECORDER_REAL(Win_set_info);
  Call call(Function::Win_set_info, RECORDER_CALLER);
  if (!call) return real(win, info);
  call.window(win);
  call.enter();
  int outcome = real(win, info);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_set_info)
#endif

#ifdef RECORDER_HAVE_Win_set_name
RECORDER_EXPORT int MPI_Win_set_name(MPI_Win win, const char* win_name) {
  RECORDER_REAL(Win_set_name);
  Call call(Function::Win_set_name, RECORDER_CALLER);
  if (!call) return real(win, win_name);
  call.window(win);
  call.enter();
  int outcome = real(win, win_name);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_set_name)
#endif

#ifdef RECORDER_HAVE_Win_shared_query
RECORDER_EXPORT int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* disp_unit,
                                         void* baseptr) {
  RECORDER_REAL(Win_shared_query);
  Call call(Function::Win_shared_query, RECORDER_CALLER);
  if (!call) return real(win, rank, size, disp_unit, baseptr);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(win, rank, size, disp_unit, baseptr);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_shared_query)
#endif

#ifdef RECORDER_HAVE_Win_shared_query_c
RECORDER_EXPORT int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size,
                                           MPI_Aint* disp_unit, void* baseptr) {
  RECORDER_REAL(Win_shared_query_c);
  Call call(Function::Win_shared_query_c, RECORDER_CALLER);
  if (!call) return real(win, rank, size, disp_unit, baseptr);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(win, rank, size, disp_unit, baseptr);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_shared_query_c)
#endif

#ifdef RECORDER_HAVE_Win_start
RECORDER_EXPORT int MPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  RECORDER_REAL(Win_start);
  Call call(Function::Win_start, RECORDER_CALLER);
  if (!call) return real(group, assert, win);
  call.window(win);
  call.enter();
  int outcome = real(group, assert, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    access_begins(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_start)
#endif

#ifdef RECORDER_HAVE_Win_sync
RECORDER_EXPORT int MPI_Win_sync(MPI_Win win) {
  RECORDER_REAL(Win_sync);
  Call call(Function::Win_sync, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  return outcome;
}
RECORDER_ALIAS(Win_sync)
#endif

#ifdef RECORDER_HAVE_Win_test
RECORDER_EXPORT int MPI_Win_test(MPI_Win win, int* flag) {
  RECORDER_REAL(Win_test);
  Call call(Function::Win_test, RECORDER_CALLER);
  if (!call) return real(win, flag);
  call.window(win);
  call.enter();
  int outcome = real(win, flag);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    exposure_ends(call, *flag != 0);
  }
  return outcome;
}
RECORDER_ALIAS(Win_test)
#endif

#ifdef RECORDER_HAVE_Win_unlock
RECORDER_EXPORT int MPI_Win_unlock(int rank, MPI_Win win) {
  RECORDER_REAL(Win_unlock);
  Call call(Function::Win_unlock, RECORDER_CALLER);
  if (!call) return real(rank, win);
  call.window(win);
  call.peer(rank);
  call.enter();
  int outcome = real(rank, win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    unlocked(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_unlock)
#endif

#ifdef RECORDER_HAVE_Win_unlock_all
RECORDER_EXPORT int MPI_Win_unlock_all(MPI_Win win) {
  RECORDER_REAL(Win_unlock_all);
  Call call(Function::Win_unlock_all, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    unlocked(call);
  }
  return outcome;
}
RECORDER_ALIAS(Win_unlock_all)
#endif

#ifdef RECORDER_HAVE_Win_wait
RECORDER_EXPORT int MPI_Win_wait(MPI_Win win) {
  RECORDER_REAL(Win_wait);
  Call call(Function::Win_wait, RECORDER_CALLER);
  if (!call) return real(win);
  call.window(win);
  call.enter();
  int outcome = real(win);
  call.leave();
  call.count();
  if (outcome == MPI_SUCCESS) {
    exposure_ends(call, true);
  }
  return outcome;
}
RECORDER_ALIAS(Win_wait)
#endif
