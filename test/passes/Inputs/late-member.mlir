zero.axis @dp size 2
zero.bucket @b0 over @dp elements 64 members [#zero.member<"u", 32 at 0, init = #zero.constant<0.0>>, #zero.member<"v", 32 at 32, init = #zero.constant<0.0>>]
zero.bucket @b1 over @dp elements 32 members [#zero.member<"w", 32 at 0, init = #zero.constant<0.0>>]
zero.kernel @k(tensor<32xf32>) -> tensor<32xf32> units serial
zero.program @step(%p: !zero.shard<64 x f32 by 2> {zero.state = #zero.state<@b0, "param">}, %q: !zero.shard<32 x f32 by 2> {zero.state = #zero.state<@b1, "param">}) {
  %f = zero.all_gather %p of @b0 : !zero.shard<64 x f32 by 2> -> tensor<64xf32>
  %u = zero.view %f[@b0, "u"] : tensor<64xf32> -> tensor<32xf32>
  %v = zero.view %f[@b0, "v"] : tensor<64xf32> -> tensor<32xf32>
  %a = zero.launch @k(%u) : (tensor<32xf32>) -> tensor<32xf32>
  %g = zero.all_gather %q of @b1 : !zero.shard<32 x f32 by 2> -> tensor<32xf32>
  %w = zero.view %g[@b1, "w"] : tensor<32xf32> -> tensor<32xf32>
  %b = zero.launch @k(%w) : (tensor<32xf32>) -> tensor<32xf32>
  %c = zero.launch @k(%v) : (tensor<32xf32>) -> tensor<32xf32>
  zero.return
}
