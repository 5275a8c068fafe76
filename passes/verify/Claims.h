//===- Claims.h - A plan, and the options that it claims --------*- C++ -*-===//
//
// (S7) A plan has what its options say.  PlanOptions.cpp has the table: a row
// for each option, with checks that each look at one kind of operation, or at
// state.  A check that is too long for a row is a function that the row names.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/PlanPrograms.h"
#include "dialect/zero/Zero.h"
#include "passes/verify/BucketLayouts.h"
#include <functional>

namespace mlir::zero::judge {

/// A flat value that is state, as a program takes it.
struct State {
  ProgramOp program;
  StateAttr attr;
  Type type;

  StringRef slot() const { return attr.getSlot(); }
  bool isMaster() const { return slot() == "master"; }
  bool isParameter() const { return slot() == "param"; }
  /// A gradient or a sum of gradients, of which a tree has several.
  bool isGradient() const {
    return slot() == "grad" || slot().starts_with("grad.");
  }
  /// "slot m of @b0"
  std::string describe() const {
    return ("slot " + slot() + " of @" + attr.getBucket().getValue()).str();
  }
};

struct Claims {
  /// Goes over `plan` once, and keeps what checks look at.  `model` is null if
  /// the plan is judged without one.
  Claims(ModuleOp plan, ModuleOp model, OptionsAttr options,
         const BucketLayouts &layouts);
  LogicalResult judge();

  /// Unless `holds`, reports that `op` has `has`, and that the option of the
  /// row, or `other`, contradicts it.
  LogicalResult expect(Operation *op, bool holds, const Twine &has,
                       StringRef other = "") const;
  /// The operations of kind T, in the module and in all of its programs, those
  /// of one rank too; or, for State, the state of these.
  template <typename T>
  auto all() const {
    if constexpr (std::is_same_v<T, State>) {
      return ArrayRef<State>(states);
    } else {
      auto found = operations.find(TypeID::get<T>());
      ArrayRef<Operation *> ops;
      if (found != operations.end())
        ops = found->second;
      return llvm::map_range(ops, [](Operation *op) { return cast<T>(op); });
    }
  }

  ModuleOp plan, model;
  OptionsAttr options;
  const PlanOptions given; ///< the values of `options`
  /// The value of the row's option, as the plan says it to a user.  So a row of
  /// abi/PlanOptions.def that stores one option as another is found, too.
  std::string word;
  const BucketLayouts &layouts;
  int64_t ranks, microSteps;
  bool isPending; ///< gradients wait for the next step

private:
  StringRef option; ///< of the row
  SmallVector<State> states;
  DenseMap<TypeID, SmallVector<Operation *>> operations;
};

using Check = std::function<LogicalResult(Claims &)>;

/// The check that `holds` of all operations of kind T, or of all State.
template <typename T, typename Holds>
Check at(Holds holds) {
  return [holds](Claims &claims) -> LogicalResult {
    for (T place : claims.all<T>())
      if (failed(holds(claims, place)))
        return failure();
    return success();
  };
}

//===----------------------------------------------------------------------===//
// Checks that are longer than a row
//===----------------------------------------------------------------------===//

// OptionChecks.cpp
LogicalResult isPortion(Claims &p, State state);
LogicalResult givesPortion(Claims &p, ReduceScatterOp reduce);
LogicalResult reducesAsOften(Claims &p);
LogicalResult hasParameterTiers(Claims &p);
LogicalResult isOnGradientTier(Claims &p, State state);
LogicalResult isOnOptimizerTier(Claims &p, State state);
LogicalResult hasActivationTier(Claims &p);
LogicalResult gathersForm(Claims &p, AllGatherOp gather);
LogicalResult reducesForm(Claims &p, ReduceScatterOp reduce);
LogicalResult isQuantizedOnce(Claims &p, Operation *op);
LogicalResult reducesInTree(Claims &p, ReduceScatterOp reduce);
LogicalResult addsInTree(Claims &p, AllReduceOp all);

// UpdateRules.cpp
LogicalResult hasUpdateRule(Claims &p);

} // namespace mlir::zero::judge
