//===- DecoderTest.cpp - What a decoder's configuration must be -----------===//
#include "frontend/Decoder.h"

#include "ModelTest.h"

using namespace mlir;
using namespace mlir::frontend;

namespace {

struct Decoders : ModelTest {
  DecoderConfig good() {
    DecoderConfig c;
    c.vocabulary = 7;
    c.layers = 3;
    c.heads = c.keyValueHeads = 4;
    c.width = 8;
    c.headWidth = 2;
    c.innerWidth = 16;
    return c;
  }

  void expectFault(const DecoderConfig &c, StringRef fault) {
    decoder(m, c, m.tokens(2, 5));
    expectError(fault);
  }
};

TEST_F(Decoders, RefuseWhatDoesNotFit) {
  DecoderConfig c = good();
  c.layers = 0;
  expectFault(c, "a decoder needs layers, heads and widths");
  c = good();
  c.keyValueHeads = 3;
  expectFault(c, "a decoder's 4 heads do not share 3 heads of keys and values");
  c = good();
  c.fullHeads = {3, 2};
  expectFault(c, "a decoder's 4 heads do not share 3 heads of keys and values "
                 "in layers without a window");
  c = good();
  c.qkvByHead = true;
  c.keyValueHeads = 2;
  expectFault(c, "query, key and value that lie together by heads are as many");
  c = good();
  c.window = 4;
  expectFault(c, "a decoder with a window needs to know which layers slide");
  c = good();
  c.window = 4;
  c.slides = {true, true, false};
  c.sharingLayers = 1;
  expectFault(c, "layer 2 shares keys and values that no layer before it has");
  c = good();
  c.turns = {true};
  expectFault(c, "a decoder needs to know of all layers whether they turn");
  c = good();
  c.experts.count = 2;
  expectFault(c, "a decoder with experts needs to know which layers have them");
  decoder(m, good(), m.input("tokens", {5}, Element::I32));
  expectError("tokens must be [batch, sequence], got \"tokens\" "
              "(tensor<5xi32>)");
}

} // namespace
