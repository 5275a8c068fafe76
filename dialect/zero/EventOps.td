//===- EventOps.td - Order between streams -----------------*- tablegen -*-===//
#ifndef ZERO_EVENT_OPS
#define ZERO_EVENT_OPS

include "dialect/zero/Types.td"

def Zero_RecordOp : Zero_PlanOp<"record", ["movesNothing"]> {
  let hasVerifier = 0;
  let summary = "Marks a point of its stream";
  let description = [{
    Reached when everything issued to the stream before it has finished.

    ```mlir
    %e = zero.record on reduce
    zero.wait %e on compute
    ```
  }];
  let arguments = (ins EnumProp<Zero_Stream>:$on);
  let results = (outs Zero_EventType:$event);
  let assemblyFormat = "`on` $on attr-dict";
}

def Zero_WaitOp : Zero_PlanOp<"wait", ["movesNothing"]> {
  let hasVerifier = 0;
  let summary = "Holds its stream until an event's point has been reached";
  let arguments = (ins Zero_EventType:$event, EnumProp<Zero_Stream>:$on);
  let assemblyFormat = "$event `on` $on attr-dict";
}

#endif
