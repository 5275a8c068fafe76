// RUN: zero-opt %s -split-input-file -verify-diagnostics --zero-fuse-buckets

zero.axis @dp size 1
// expected-error @+1 {{'zero.bucket' op needs a member, a "param" state and one zero.pack in @step; run zero-partition-state to make them}}
zero.bucket @b0 over @dp elements 16 members [#zero.member<"w", 16 at 0, init = #zero.constant<0.0>>]
func.func @step(%p: !zero.shard<16 x f32 by 1> {zero.state = #zero.state<@b0, "param">}) -> !zero.shard<16 x f32 by 1> {
  return %p : !zero.shard<16 x f32 by 1>
}
