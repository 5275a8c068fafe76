// RUN: zero-opt %s --zero-print-order -o /dev/null -verify-diagnostics
// A plan whose streams have no order.

zero.program @step(%e: !zero.event) {
  // expected-error @below {{on stream compute waits for an event that no earlier operation of the program records (V10)}}
  zero.wait %e on compute
  zero.return
}
