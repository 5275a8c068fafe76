//===- TermTable.h - Hash-consed terms of computed values -----------------===//
//
// A term describes how a value is computed from inputs and parameters.  It does
// not contain where the value lies, when it is computed, or on how many ranks:
//
//   param "w"   input "tokens"   scalar "lr"       leaves
//   f(a, b)#0                                      a result of an operation
//   rows(a, from, count)                           some rows of a
//   join(a, b)                                     rows, one after the other
//   mean over ranks (a)   mean over micro-steps (a)
//
// Equal terms are one number (hash-consing), so that comparing two takes
// constant time, however deep they are.  Rows and joins have a normal form:
//
//   rows(a, 0, all)              = a
//   rows(rows(a, i, n), j, m)    = rows(a, i + j, m)
//   rows(join(a, b), i, n)       = join(rows(a, ...), rows(b, ...))
//   join(join(a, b), c)          = join(a, b, c)
//   join(rows(a, i, n), rows(a, i + n, m)) = rows(a, i, n + m)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/nn/NN.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <string>
#include <vector>

namespace mlir::zero::judge {

class TermTable {
public:
  /// An index into the table.
  using Term = unsigned;
  enum class Leaf { Parameter, Input, Scalar, Cache, Other };
  enum class Mean { Ranks, MicroSteps };

  /// The leaf `name` of the given kind.
  Term leaf(Leaf leaf, StringAttr name, Type type);
  /// An unknown value, equal only to itself.
  Term unknown(Value value);
  /// Result `index` of `op` applied to `operands`.  Attributes that only plans
  /// have do not count.  `callee` is the kernel of a launch, otherwise null.
  Term apply(Operation *op, Operation *callee, ArrayRef<Term> operands,
             unsigned index);
  /// The product that `op` adds to a sum: without its scale, and without `init`
  /// if that is no operand.
  Term summand(nn::MatmulOp op, ArrayRef<Term> operands);
  /// The operands of `term` if it is result `index` of a launch of `kernel`.
  std::optional<ArrayRef<Term>> operandsOf(Term term, Operation *kernel,
                                           unsigned index) const;
  /// Result `index`, of `type`, of the launch of `kernel` that `of` is a result
  /// of; `op` stands for it in messages.
  Term otherResult(Term of, Operation *kernel, unsigned index, Operation *op,
                   Type type);
  Term rows(Term whole, int64_t from, int64_t count);
  Term join(ArrayRef<Term> pieces);
  Term mean(Mean over, Term term);

  Type typeOf(Term term) const { return nodes[term].type; }
  /// `parameter "w"`, `rows [4, 8) of result 1 of zero.launch @f`
  std::string describe(Term term) const;
  /// Describes the first difference between two terms, where `whereIsThere`
  /// names the second, e.g. `in the model`: `operand 1 of zero.launch @f is
  /// input "tokens" here and input "targets" in the model`.
  std::string describeDifference(Term here, Term there,
                                 StringRef whereIsThere) const;

private:
  enum class Form { Leaf, Unknown, Result, Rows, Join, Mean };
  struct Node {
    Form form;
    Type type;
    /// The name of a leaf, the value of an unknown, the first operation that
    /// had this result.
    const void *what = nullptr;
    /// The kind of a leaf or a mean, the number of a result, the first of the
    /// rows.
    int64_t number = 0;
    ArrayRef<Term> operands = {};
  };

  /// Returns the term of `node`.  `key` and all fields of `node` but `what`
  /// identify it.
  Term intern(Node node, ArrayRef<const void *> key);
  int64_t countRows(Term term) const;
  std::string describeHead(const Node &node) const;
  std::string describeDetails(Term term) const;
  bool haveOneHead(const Node &a, const Node &b) const;

  llvm::BumpPtrAllocator allocator;
  std::vector<Node> nodes;
  std::vector<ArrayRef<uintptr_t>> keys; ///< of each node
  DenseMap<ArrayRef<uintptr_t>, Term> known;
};

/// Computes the terms of the values of a function.  All functions that are
/// executed one after the other share one table, in which equal terms are one.
class SymbolicExecutor {
public:
  using Term = TermTable::Term;

  SymbolicExecutor(int64_t ranks, int64_t microSteps)
      : ranks(ranks), microSteps(microSteps) {}

  /// Sets the number of micro-steps of all later means.
  void setMicroSteps(int64_t count) { microSteps = count; }
  /// Forgets the values of the last function.
  void clear() { values.clear(); }
  void set(Value value, Term term) { values[value] = term; }
  /// The term of `value`; a value that was never set is unknown, equal only to
  /// itself.
  Term termOf(Value value);
  /// The mean of `term`; a mean of one value is the value itself.
  Term mean(TermTable::Mean over, Term term);

  /// Computes the terms of the results of `op`: a join, a split, or any
  /// operation that is a function of its operands.
  void execute(Operation *op);
  /// Treats launches of `kernel` as launches of `same`.
  void identify(Operation *kernel, Operation *same) { kernels[kernel] = same; }
  /// Results of a kernel that another one computes: its first operand is result
  /// `given` of `whole`, and the others are those `operands` of it.
  struct Rest {
    Operation *whole;
    unsigned given;
    SmallVector<unsigned> results, operands;
  };
  /// Treats launches of `kernel` as computing results of another one.
  void identifyRest(Operation *kernel, Rest rest) {
    rests[kernel] = std::move(rest);
  }

  TermTable terms;

private:
  void executeRest(Operation *launch, const Rest &rest,
                   ArrayRef<Term> operands);

  int64_t ranks, microSteps;
  DenseMap<Operation *, Rest> rests;
  SymbolTableCollection symbols;
  DenseMap<Operation *, Operation *> kernels;
  DenseMap<Value, Term> values;
};

} // namespace mlir::zero::judge
