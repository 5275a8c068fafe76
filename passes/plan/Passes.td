//===- Passes.td - Where and when -----------------------------*- tablegen -*-===//
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
    Gathers run on stream `gather`, reductions and the norm of what they leave on
    `reduce`; transfers between tiers on a stream of each link and direction; the
    updates of host memory on `host`; all else stays on `compute`.

    ```mlir
    %f0 = zero.all_gather %p0 of @b0 {zero.stream = #zero.stream<gather>} : ...
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def MoveTransfers : Pass<"zero-move-transfers", "::mlir::ModuleOp"> {
  let summary = "Gathers and fetches one bucket ahead";
  let description = [{
    A gather or a fetch of parameters moves up to where the parameters gathered before it
    are first used: it runs while they are computed with.  What is held at once
    is what one operation reads and what the next one does: two buckets, where
    each reads one.

    ```mlir
    %f0 = zero.all_gather %p0 of @b0        %f0 = zero.all_gather %p0 of @b0
    %y0 = zero.launch @block(%x, %f0)       %f1 = zero.all_gather %p1 of @b1
    %f1 = zero.all_gather %p1 of @b1    =>  %y0 = zero.launch @block(%x, %f0)
    %y1 = zero.launch @block(%y0, %f1)      %y1 = zero.launch @block(%y0, %f1)
    ```

    What is gathered from another tier is fetched one bucket before that, and
    from nvme another one before.  State that updates fetch comes one update
    ahead, after the backward.

    Activations that wait in another tier (StashActivations) come one block ahead,
    those on nvme two blocks to the host.

    Where a program would have more bytes alive at once than `device-memory` or
    `host-memory` allow, something that is held there ahead of its use is not: a
    parameter from nvme is fetched from there again for the backward, the one that
    would wait longest in host memory; if there is none, a transfer stays where its
    result is used, of those at that point the one that is used last.  All others
    go ahead, unless that is not enough for the host: then none goes there early.
    With a `rotation` the bytes are those of the step as
    `zero-rotate-updates` will make it.
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
  let options = [
    Option<"deviceMemory", "device-memory", "int64_t", "-1", "the most bytes; -1: any number">,
    Option<"hostMemory", "host-memory", "int64_t", "-1", "the same of host memory">,
    Option<"rotation", "rotation", "::mlir::zero::Rotation", "::mlir::zero::Rotation::None",
           "when updates of host memory will run", [{::llvm::cl::values(
             clEnumValN(::mlir::zero::Rotation::None, "none", "in their step"),
             clEnumValN(::mlir::zero::Rotation::Overlap, "overlap", "before the next forward"),
             clEnumValN(::mlir::zero::Rotation::Delayed, "delayed", "beside the next step"))}]>];
}

def RotateUpdates : Pass<"zero-rotate-updates", "::mlir::ModuleOp"> {
  let summary = "Updates of host memory move to the start of the next step";
  let description = [{
    An update needs the norm of all gradients, and so it comes after the backward,
    when the device has nothing left to do.  In the next step's forward it has.
    So what stands after the norm moves to the start of the program: each bucket
    is updated, by the gradient of the step before, where its parameters are first
    read.  What is pending is state: the gradient in slot `grad`, in host memory,
    and the factor of `zero.clip` as an output, which is the scalar `clip` of the
    next program.

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

    Each program is what it was: no operation crosses from one to the next.
    Parameters that are updated in host memory are not read back from nvme for
    their first use.

    With `delayed` the model reads the parameters as they were before that update,
    so that it runs beside forward and backward; the next ones take their place
    after the last read.  Updates stand at the start, in the order in which the
    next gradients come.

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
  let summary = "Gives every value of the step its bytes";
  let description = [{
    Values that share bytes (views, packs, updates, kernels in place) get one
    buffer; buffers whose lifetimes do not meet overlay each other.

    ```mlir
    %h = zero.launch @gelu(%x) : (tensor<64xf32>) -> tensor<64xf32>
    ```
    becomes
    ```mlir
    %h = zero.launch @gelu(%x) {zero.at = [#zero.bytes<device, 1024 + 256>]} : (tensor<64xf32>) -> tensor<64xf32>
    ```

    The module gets `zero.arena` and `zero.live_peak`: bytes of the device, host
    and nvme arena, and the most bytes that are alive at once in each.  With
    `workspace` it gets `zero.workspace`: so many bytes of the device that products
    use while they run, beside all values.
  }];
  let options = [Option<"workspace", "workspace", "int64_t", "0", "bytes of the device for products to use">];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def InsertEvents : Pass<"zero-insert-events", "::mlir::ModuleOp"> {
  let summary = "Writes every wait between streams";
  let description = [{
    An operation waits for the operations on other streams that wrote bytes it
    reads, and for those that read or wrote bytes it overwrites, unless an
    earlier wait implies it.

    ```mlir
    %h = zero.launch @a(%x) {zero.stream = #zero.stream<reduce>} : ...
    %e = zero.record on reduce
    zero.wait %e on compute
    %y = zero.launch @b(%h) : ...
    ```
  }];
  let dependentDialects = ["::mlir::zero::ZeroDialect"];
}

def PrintCertificate : Pass<"zero-print-certificate", "::mlir::ModuleOp"> {
  let summary = "Prints the memory certificate of a finished plan";
  let description = [{
    Exact bytes by category at the point where the most bytes are alive, and
    what is alive there.
  }];
}

def PrintCosts : Pass<"zero-print-costs", "::mlir::ModuleOp"> {
  let summary = "Prints what each operation of a plan costs a rank";
  let description = [{
    Its stream, how much of its operands and results it touches, floating-point
    operations, bytes that it reads and writes by tier, and bytes from peers.
    Operations that only name bytes are left out.
  }];
}

#endif
