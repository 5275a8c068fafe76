//===- OptimizerOps.td - Optimizers, and their application -*- tablegen -*-===//
#ifndef ZERO_OPTIMIZER_OPS
#define ZERO_OPTIMIZER_OPS

include "dialect/zero/Types.td"

def Zero_OptimizerOp : Zero_Op<"optimizer", [Symbol, IsolatedFromAbove, SingleBlock]> {
  let summary = "An update rule, as a function of scalars";
  let description = [{
    The region maps a parameter, its gradient, its state and named scalars to
    the next parameter and state.  It is applied elementwise, so one definition
    becomes a vector loop on any shard in any tier.  Arithmetic that depends on
    scalars alone is done once per launch.

    ```mlir
    zero.optimizer @sgd(%p: f32, %g: f32, %momentum: f32, %lr: f32, %decay: f32)
        state ["momentum"] scalars ["lr", "decay"] {
      %0 = arith.mulf %decay, %p : f32
      %1 = arith.addf %g, %0 : f32
      %2 = arith.addf %momentum, %1 : f32
      %3 = arith.mulf %lr, %2 : f32
      %4 = arith.subf %p, %3 : f32
      zero.yield %4, %2 : f32, f32
    }
    ```

    The scalar `decay` is the member's weight decay, a constant; `clip` is the
    factor that `zero.clip` computes; all others are arguments of the step.

    Constraints:
    * (C1) the arguments are the parameter, the gradient, one per state slot and
      one per scalar, all f32.
    * (C2) the region yields the parameter and one value per state slot, all
      f32.
    * (C3) it is made of scalar operations of arith and math.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$slots, StrArrayAttr:$scalars);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Zero_YieldOp : Op<Zero_Dialect, "yield", [Terminator, Pure, ParentOneOf<["OptimizerOp"]>]> {
  let summary = "Ends an optimizer with its results";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def Zero_UpdateOp : Zero_PlanOp<"update", [
    "getStorageTies", "getExtent", "getPreferredStream", "getBytesUse"], [
    CountsFlops, UsesSymbols, AttrSizedOperandSegments]> {
  let summary = "Applies an optimizer to a bucket";
  let description = [{
    Runs over members, each with its weight decay; padding stays as it is.
    Results are the next parameter and state, in the operands' bytes.

    Where the state slots are shards, the update works on the rank's slice, also
    of a whole parameter or gradient.  A whole parameter then has its next
    values in that slice only, until it is gathered.

    ```mlir
    %p1, %m1, %v1 = zero.update @adamw of @b0 (%p, %g, %m, %v) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
      : (!zero.shard<4144 x f32 by 1>, tensor<4144xf32>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>), (tensor<f32>, tensor<f32>, tensor<f32>)
      -> !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>, !zero.shard<4144 x f32 by 1>
    ```

    A parameter of 16 bits may have a `master` of f32, which the optimizer takes
    in its place; the next master comes last, and the next parameter is its
    rounding.  Gradients and state of 16 bits are widened, and state is rounded.

    A parameter of bf16 without a master is widened too, and rounded
    stochastically: the probability of rounding up is proportional to the
    distance from the number below, so that changes that are too small for a
    single step add up.  `rounding` is 64 random bits of this step; together
    with the parameter's name and an element's place in it, they determine the
    element's rounding, independent of the layout (docs/precision.md).

    With `skip_nonfinite` everything keeps its value if the factor of
    `zero.clip`, the scalar `clip` of the optimizer, is NaN.

    It runs in the tier of its operands.  An update in host memory also takes
    its scalars from there.  If the parameter itself is on the device, the
    update takes none (`_`) and makes the next one, in bytes of its own, from
    the master.

    ```mlir
    %h1, %m1, %v1, %w1 = zero.update @adamw of @b0 (_, %g, %m, %v) master(%w) scalars(%lr, %clip, %step) {decay = 0.1 : f64}
      : (_, !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>), master !zero.shard<4144 x f32 by 1 on host>,
        (!zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>, !zero.stored<tensor<f32> on host>)
      -> !zero.shard<4144 x bf16 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>, !zero.shard<4144 x f32 by 1 on host>
    ```

    Constraints:
    * (C1) operands are the parameter, the gradient and one per state slot of
      the optimizer.
    * (C2) one scalar operand of f32 per scalar of the optimizer but `decay`;
      with `skip_nonfinite` one of them is `clip`.
    * (C3) parameter, gradient and state are f32, bf16 or f16, each the whole
      bucket or the rank's slice.
    * (C4) all state slots, the master among them, are whole, or all are slices;
      where they are whole, so are parameter and gradient.
    * (C5) a parameter of 16 bits has a master, or is bf16 and has `rounding`;
      one of f32 may have one, which it equals.  Masters are f32.  Where there
      is no parameter, there is a master.
    * (C6) there is `rounding` exactly if a parameter of 16 bits has no master;
      it is bf16.
  }];
  let arguments = (ins FlatSymbolRefAttr:$optimizer, FlatSymbolRefAttr:$bucket, Optional<Zero_Flat>:$param,
                       Zero_Flat:$grad, Variadic<Zero_Flat>:$slots, Optional<Zero_Flat>:$master,
                       Variadic<Zero_Scalar>:$scalars, Optional<0DTensorOf<[I64]>>:$rounding,
                       F64Attr:$decay, UnitAttr:$skip_nonfinite);
  let results = (outs Variadic<Zero_Flat>:$next);
  let extraClassDeclaration = [{
    /// Whether it works on the rank's slice.
    bool isSliced();
    /// The state that it updates besides the parameter: the slots, then the
    /// master.  The operands that follow the gradient, and the results from 1 on.
    ::mlir::OperandRange getKept();
  }];
  let assemblyFormat = [{
    $optimizer `of` $bucket `(` ($param^) : (`_`)? `,` $grad (`,` $slots^)? `)` (`master` `(` $master^ `)`)?
    `scalars` `(` $scalars `)` (`rounding` `(` $rounding^ `:` type($rounding) `)`)?
    attr-dict `:` `(` custom<TypeOrNone>(type($param)) `,` type($grad) (`,` type($slots)^)? `)` `,`
    (`master` type($master)^ `,`)? `(` type($scalars) `)` `->` type($next)
  }];
}

#endif
