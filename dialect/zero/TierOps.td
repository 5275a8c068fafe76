//===- TierOps.td - Transfers between tiers ----------------*- tablegen -*-===//
//
//   nvme  -- fetch, nvme_read -->   host  -- fetch, h2d -->   device
//   nvme  <-- spill, nvme_write --  host  <-- spill, d2h --   device
//
// A transfer brings a value to another tier for a while; the positions of the
// operations say for how long.  No other operations have values in two tiers.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_TIER_OPS
#define ZERO_TIER_OPS

include "dialect/zero/Types.td"

class Zero_TransferOp<string mnemonic> : Zero_PlanOp<mnemonic, [
    "crossesTiers", "getStorageTies", "getExtent", "getPreferredStream", "bringsState", "getBytesUse"], [UsesSymbols]> {
  let arguments = (ins Zero_Held:$source, OptionalAttr<FlatSymbolRefAttr>:$bucket,
                       Optional<Zero_Held>:$into);
  let results = (outs Zero_Held:$result);
  let assemblyFormat = [{
    $source (`of` $bucket^)? (`into` $into^)? attr-dict `:` type($source) (`,` type($into)^)? `->` type($result)
  }];
}

def Zero_FetchOp : Zero_TransferOp<"fetch"> {
  let summary = "The same value one tier nearer to the device";
  let description = [{
    From nvme to the host, or from the host to the device; with `into`, in the
    bytes of that value.

    ```mlir
    %w = zero.fetch %p of @b0 : !zero.shard<4160 x f32 by 2 on host> -> !zero.shard<4160 x f32 by 2>
    %q1 = zero.fetch %next of @b0 into %q : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 1> -> !zero.shard<4160 x f32 by 1>
    ```

    The second fetches a slice into the rank's part of a whole value, the rest
    of which stays as it is.

    Constraints:
    * (C1) the result is one tier nearer to the device.
    * (C2) with a bucket, both are the whole bucket or both the rank's slice; or
      a slice goes into a whole one.  Without a bucket, both are the same
      tensor.
    * (C3) `into` has the result's type.
  }];
}

def Zero_SpillOp : Zero_TransferOp<"spill"> {
  let summary = "The same value one tier farther from the device";
  let description = [{
    From the device to the host, or from the host to nvme; with `into`, in the
    bytes of that value.

    ```mlir
    %h = zero.spill %g of @b0 : tensor<4160xf32> -> !zero.shard<4160 x f32 by 2 on host>
    %m2 = zero.spill %m1 of @b0 into %m : !zero.shard<4160 x f32 by 2 on host>, !zero.shard<4160 x f32 by 2 on nvme> -> !zero.shard<4160 x f32 by 2 on nvme>
    %c = zero.spill %clip : tensor<f32> -> !zero.stored<tensor<f32> on host>
    ```

    The first spills the rank's slice of a whole value.

    Constraints:
    * (C1) the result is one tier farther from the device.
    * (C2) with a bucket, both are the whole bucket or both the rank's slice; or
      a slice is taken of a whole one.  Without a bucket, both are the same
      tensor.
    * (C3) `into` has the result's type.
  }];
}

#endif
