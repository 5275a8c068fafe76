//===- Zero.td - The dialect of training plans -------------*- tablegen -*-===//
//
// A training step is a straight-line program on streams, over memory tiers.
// This dialect holds what such a program needs beyond tensors: axes of ranks,
// buckets (the only copy of names, shapes and offsets of parameters), shards of
// them, optimizers and their application, launches of kernels, streams, events
// and byte ranges.
//
// Discardable attributes that the passes share (DiscardableAttributes.cpp):
//   zero.param, zero.init, zero.input   on arguments of the model
//   zero.frozen, zero.packing           on parameters that are not trained
//   zero.block                           the part of the model with a parameter
//   zero.vocab, zero.ignored            values that the host accepts in inputs
//   zero.micro                           the micro-step of an input, an output or a
//                                        pack, where a program has all of them
//   zero.state, zero.scalar, zero.output on arguments and results of the step
//   zero.stream                          the queue of an operation (default: compute)
//   zero.at                              byte ranges, one per result
//   zero.kernels                         kernels of an update, a clip etc.
//   zero.plain                           the kernel of an update without decay
//   zero.level                           on the module: the last finished level
//   zero.options                         on the module: the options of the plan
//   zero.target                          on the module: what runs the plan
//   zero.given, zero.function            on the module: its origin (Origin.h)
//
//===----------------------------------------------------------------------===//
#ifndef ZERO_TD
#define ZERO_TD

include "dialect/zero/Options.td"
include "dialect/zero/StateOps.td"
include "dialect/zero/ProgramOps.td"
include "dialect/zero/ValueOps.td"
include "dialect/zero/CollectiveOps.td"
include "dialect/zero/TierOps.td"
include "dialect/zero/GradientOps.td"
include "dialect/zero/OptimizerOps.td"
include "dialect/zero/EventOps.td"

#endif
