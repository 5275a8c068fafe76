//===- TermTable.h - What a value is computed from ------------------------===//
//
// A term says how a value is computed, from inputs and parameters on, and says
// nothing of where it lies, when it is made, or on how many ranks:
//
//   param "w"   input "tokens"   scalar "lr"       leaves
//   f(a, b)#0                                      a result of an operation
//   rows(a, from, count)                           some rows of a
//   join(a, b)                                     rows, one after the other
//   mean over ranks (a)   mean over micro-steps (a)
//
// Equal terms are one number: they are made once and then found (hash-consing),
// so that to compare two costs nothing, however deep they are.  Rows and joins
// have one form for one value:
//
//   rows(a, 0, all)              = a
//   rows(rows(a, i, n), j, m)    = rows(a, i + j, m)
//   rows(join(a, b), i, n)       = join(rows(a, ...), rows(b, ...))
//   join(join(a, b), c)          = join(a, b, c)
//   join(rows(a, i, n), rows(a, i + n, m)) = rows(a, i, n + m)
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"
#include <string>
#include <vector>

namespace mlir::zero::judge {

class TermTable {
public:
  /// A number from 0 on.
  using Term = unsigned;
  enum class Leaf { Parameter, Input, Scalar, Other };
  enum class Mean { Ranks, MicroSteps };

  /// What is called `name`, among the leaves of that sort.
  Term leaf(Leaf leaf, StringAttr name, Type type);
  /// A value that nothing is known of: equal to itself alone.
  Term unknown(Value value);
  /// Result `index` of `op` applied to `operands`.  Attributes that only plans
  /// have do not count.  `callee` is what a launch calls, else null.
  Term apply(Operation *op, Operation *callee, ArrayRef<Term> operands,
             unsigned index);
  Term rows(Term whole, int64_t from, int64_t count);
  Term join(ArrayRef<Term> pieces);
  Term mean(Mean over, Term term);

  Type typeOf(Term term) const { return nodes[term].type; }
  /// `parameter "w"`, `rows [4, 8) of result 1 of zero.launch @f`
  std::string describe(Term term) const;
  /// Where two terms that differ first do so: `operand 1 of zero.launch @f is
  /// input "tokens" here and input "targets" in the model`, if the other one is
  /// `in the model`.
  std::string describeDifference(Term here, Term there,
                                 StringRef whereIsThere) const;

private:
  enum class Form { Leaf, Unknown, Result, Rows, Join, Mean };
  struct Node {
    Form form;
    Type type;
    /// Of leaves their name, of unknown values the value, of results the
    /// operation that was met first.
    const void *what = nullptr;
    /// Of leaves and means which they are, of results their number, of rows
    /// the first.
    int64_t number = 0;
    ArrayRef<Term> operands = {};
  };

  /// The term of `node`, whose identity is `key` together with all but `what`.
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

} // namespace mlir::zero::judge
