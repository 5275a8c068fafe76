//===- Schedule.h - A program as tasks on streams ---------------*- C++ -*-===//
//
// Whoever asks about the order or the time of a program asks its schedule: the
// tasks in program order, what each waits for, and how much work each does.
//
//   compute   t0 --- t2 --- t4          t2 waits for t1, a task of another
//   gather       t1 --- t3              stream; t3 only for t1, its stream's
//
// At level memory a task waits where events say it, as the program will run;
// before, where its operands come from.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Work.h"
#include <vector>

namespace mlir::zero {

struct Task {
  Operation *op;
  Stream stream;
  /// By position: the tasks whose results it reads, and those of other streams
  /// that it waits for.
  SmallVector<unsigned> inputs, after;
  Work work;
};

class Schedule {
public:
  /// The schedule of `program`.  Bytes that were touched less than `cacheBytes`
  /// of other bytes ago count as in the cache; a cache of 0 holds nothing.
  Schedule(ProgramOp program, int64_t cacheBytes);

  /// Fails with an error at an operation that reads from another stream what
  /// its waits do not order before it.
  LogicalResult verify() const;

  ArrayRef<Task> getTasks() const { return tasks; }
  ProgramOp getProgram() const { return program; }

private:
  void collectTasks();
  void splitBytes(int64_t cacheBytes);

  ProgramOp program;
  std::vector<Task> tasks;
};

} // namespace mlir::zero
