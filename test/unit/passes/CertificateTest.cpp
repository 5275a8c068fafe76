//===- CertificateTest.cpp - The categories of each arena -----------------===//

#include "passes/certify/Certificate.h"
#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::zero;

// A plan with 60 parameters: f32 on the device; a quarter of the first moment,
// and all of the second in 16 bits, on the host.
static constexpr const char *kPlan = R"(
module attributes {zero.arena = array<i64: 320, 256, 0>, zero.exported = 320 : i64} {
  zero.axis @dp size 4
  zero.bucket @b over @dp elements 64 members [#zero.member<"w", 60 at 0, init = #zero.constant<0.0>>]
  zero.kernel @f() -> tensor<f32>
  zero.program @step(%p: !zero.shard<64 x f32 by 1> {zero.state = #zero.state<@b, "param">, zero.at = #zero.bytes<device, 0 + 256>},
                     %m: !zero.shard<64 x f32 by 4 on host> {zero.state = #zero.state<@b, "m">, zero.at = #zero.bytes<host, 0 + 64>},
                     %v: !zero.shard<64 x bf16 by 1 on host> {zero.state = #zero.state<@b, "v">, zero.at = #zero.bytes<host, 64 + 128>})
      -> (!zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 4 on host>, !zero.shard<64 x bf16 by 1 on host>, tensor<f32> {zero.output = "loss"}) {
    %l = zero.launch @f() {zero.at = [#zero.bytes<device, 256 + 4>]} : () -> tensor<f32>
    zero.return %p, %m, %v, %l : !zero.shard<64 x f32 by 1>, !zero.shard<64 x f32 by 4 on host>, !zero.shard<64 x bf16 by 1 on host>, tensor<f32>
  }
})";

TEST(Certificate, CountsEachArenaByItself) {
  DialectRegistry registry;
  registry.insert<nn::NNDialect, ZeroDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto plan = parseSourceString<ModuleOp>(kPlan, &context);
  ASSERT_TRUE(plan);
  Certificate certificate = certify(*plan);

  const Certificate::Arena &device = certificate.arenas[0];
  EXPECT_EQ(device.parameters, 256);
  EXPECT_EQ(device.optimizerState, 0);
  EXPECT_EQ(device.io, 4);
  EXPECT_EQ(device.peak, 260);
  EXPECT_EQ(device.unused, 60);
  const Certificate::Arena &host = certificate.arenas[1];
  EXPECT_EQ(host.parameters, 0);
  EXPECT_EQ(host.optimizerState, 64 + 128);
  EXPECT_EQ(host.peak, 192);
  EXPECT_EQ(host.unused, 64);
  // A rank's slots count wherever they are stored.
  EXPECT_EQ(certificate.modelState[2].held, 192);
  EXPECT_EQ(certificate.modelState[2].sharded, 60 * 4);
  EXPECT_EQ(certificate.modelState[2].whole, 60 * 2);

  std::string text = certificate.print();
  EXPECT_NE(text.find("host arena                               256 B"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("host peak: 192 bytes live at the start"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nvme"), std::string::npos) << text;
}
