//===- Passes.td - Schedules and places a step -------------*- tablegen -*-===//
//
// The passes that turn a step into a plan: bytes for every value and events for
// every wait.  See docs/plan.md.
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_PLAN_PASSES
#define ZERO_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def AssignStreams : Pass<"zero-assign-streams", "::mlir::ModuleOp"> {
  let summary = "Chooses the queue of every operation";
  let description = [{
    Gathers run on stream `gather`, reductions and the norm of their results on
    `reduce`; each link between tiers has a stream for each direction; updates
    in host memory run on `host`; all other operations stay on `compute`.

    ```mlir
    %f0 = zero.all_gather %p0 of @b0 {zero.stream = #zero.stream<gather>} : ...
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def MoveTransfers : Pass<"zero-move-transfers", "::mlir::ModuleOp"> {
  let summary = "Gathers and fetches ahead of their uses";
  let description = [{
    A gather or a fetch of parameters moves up to the first use of the
    parameters that were gathered before it: it runs while the model computes
    with those.  The device holds at once what one operation reads and what the
    next one reads: two buckets if each reads one.  With a larger `prefetch` it
    moves further up, to the first use after which others with fewer than so
    many bytes are used.

    ```mlir
    %f0 = zero.all_gather %p0 of @b0        %f0 = zero.all_gather %p0 of @b0
    %y0 = zero.launch @block(%x, %f0)       %f1 = zero.all_gather %p1 of @b1
    %f1 = zero.all_gather %p1 of @b1    =>  %y0 = zero.launch @block(%x, %f0)
    %y1 = zero.launch @block(%y0, %f1)      %y1 = zero.launch @block(%y0, %f1)
    ```

    Parameters in another tier are fetched one bucket before their gather, and
    those on NVMe are fetched to the host one more bucket ahead.  State for
    updates is fetched one update ahead, after the backward; `prefetch` bytes of
    it may be fetched before, when the drive has nothing else to read.

    Activations that wait in another tier (StashActivations) are fetched one
    block ahead; those on NVMe are fetched to the host two blocks ahead.

    If a program would have more bytes alive at once than `device-memory` or
    `host-memory` allows, fewer results are held ahead of their use.  First, the
    parameter from NVMe that would wait longest in host memory is fetched from
    NVMe again for the backward.  If there is none, the transfer whose result is
    used last, of those at that point, starts later.  All others go ahead,
    unless that is not enough for the host: then no transfer to the host does.
    `max-live` limits the bytes of gathered parameters in the same way, and is
    an error if more are needed at one time.
    With a `rotation`, the bytes are those of the step that
    `zero-rotate-updates` will make.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [
    Option<"deviceMemory", "device-memory", "int64_t", "-1", "the most bytes; -1: any number">,
    Option<"hostMemory", "host-memory", "int64_t", "-1", "the same of host memory">,
    Option<"prefetch", "prefetch", "int64_t", "1", "bytes that may be used between a transfer and its use; 0: none goes ahead">,
    Option<"maxLive", "max-live", "int64_t", "0", "the most bytes of gathered parameters; 0: any number">,
    Option<"rotation", "rotation", "::mlir::zero::Rotation", "::mlir::zero::Rotation::None",
           "when updates of host memory will run", [{::llvm::cl::values(
             clEnumValN(::mlir::zero::Rotation::None, "none", "in their step"),
             clEnumValN(::mlir::zero::Rotation::Overlap, "overlap", "before the next forward"),
             clEnumValN(::mlir::zero::Rotation::Delayed, "delayed", "beside the next step"))}]>];
}

def RotateUpdates : Pass<"zero-rotate-updates", "::mlir::ModuleOp"> {
  let summary = "Moves updates in host memory to the start of the next step";
  let description = [{
    An update needs the norm of all gradients, so it comes after the backward,
    when the device has no work left.  In the next step's forward it has.  So
    the operations after the norm move to the start of the program: each bucket
    is updated by the gradient of the previous step, just before the first read
    of its parameters.  Pending values pass from one program to the next: the
    gradient as state in slot `grad`, in host memory, and the factor of
    `zero.clip` as an output, which is the scalar `clip` of the next program.

    ```mlir
    zero.program @step
      %w = zero.view %p                    // forward
      %g = zero.spill %dflat of @b0        // backward
      %norm, %clip = zero.clip %s
      %p1 = zero.update ... (%p, %g)
    // becomes
    zero.program @first                    // the first step
      %w = zero.view %p
      %grad1 = zero.spill %dflat of @b0 into %grad
      %norm, %clip1 = zero.clip %s
    zero.program @step                     // all others
      %p1 = zero.update ... (%p, %grad)
      %w = zero.view %p1
      %grad1 = zero.spill %dflat of @b0 into %grad
      %norm, %clip1 = zero.clip %s
    zero.program @flush                    // before parameters are saved
      %p1 = zero.update ... (%p, %grad)
    ```

    No operation runs across the end of a program.  Parameters that are updated
    in host memory are not read back from NVMe for their first use.

    With `delayed`, the model reads the parameters from before that update, so
    that the update runs in parallel with forward and backward; the new
    parameters replace the old ones after the last read.  Updates stand at the
    start, in the order in which the next gradients are computed.

    ```mlir
    zero.program @step
      %p0, ... = zero.update ... (_, %grad)
      %w = zero.view %p
      ...                                    // the last that reads %w
      %p1 = zero.fetch %p0 of @b0 into %p
      %grad1 = zero.spill %dflat of @b0 into %grad
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [
    Option<"delayed", "delayed", "bool", "false", "the model reads what updates of the step before have left">];
}

def AssignMemory : Pass<"zero-assign-memory", "::mlir::ModuleOp"> {
  let summary = "Assigns bytes to every value of the step";
  let description = [{
    Values that share bytes (views, flatten, updates, kernels in place) get one
    buffer; buffers whose lifetimes do not overlap may share bytes.

    ```mlir
    %h = zero.launch @gelu(%x) : (tensor<64xf32>) -> tensor<64xf32>
    ```
    becomes
    ```mlir
    %h = zero.launch @gelu(%x) {zero.at = [#zero.bytes<device, 1024 + 256>]} : (tensor<64xf32>) -> tensor<64xf32>
    ```

    The module gets `zero.arena` and `zero.live_peak`: the bytes of the device,
    host and NVMe arenas, and the most bytes that are alive at once in each.
    If its `zero.target` asks for a workspace, it gets `zero.workspace`: these
    bytes of the device that products use while they run, in addition to all
    values.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def InsertEvents : Pass<"zero-insert-events", "::mlir::ModuleOp"> {
  let summary = "Inserts all waits between streams";
  let description = [{
    An operation waits for the operations on other streams that wrote the bytes
    that it reads, and for those that read or wrote the bytes that it
    overwrites, unless an earlier wait implies it.

    ```mlir
    %h = zero.launch @a(%x) {zero.stream = #zero.stream<reduce>} : ...
    %e = zero.record on reduce
    zero.wait %e on compute
    %y = zero.launch @b(%h) : ...
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def PrintCosts : Pass<"zero-print-costs", "::mlir::ModuleOp"> {
  let summary = "Prints the cost of each operation of a plan on a rank";
  let description = [{
    Prints the stream of each operation, how much of its operands and results it
    touches, its floating-point operations, the bytes that it reads and writes
    in each tier, and the bytes that it receives from peers.  Operations that
    only name bytes are left out.
  }];
}

#endif
