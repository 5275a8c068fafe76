// Every module is asked for its sizes before the first pass runs on it.
// RUN: zero-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{parameter "w" is 'tensor<0x4xf32>', which has a size of 0; every size is at least 1}}
func.func @loss(%w: tensor<0x4xf32> {zero.param = "w"}) {
  return
}

// -----

// expected-error @+1 {{input "tokens" is 'tensor<2x0xi32>', which has a size of 0}}
func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %t: tensor<2x0xi32> {zero.input = "tokens"}) {
  return
}

// -----

func.func @step(%w: tensor<4xf32>) {
  // expected-error @+1 {{the result of 'tensor.empty' is 'tensor<4x0x2xf32>', which has a size of 0}}
  %0 = tensor.empty() : tensor<4x0x2xf32>
  return
}

// -----

// expected-error @+1 {{a value of 'func.func' is 'tensor<0xf32>', which has a size of 0}}
func.func private @kernel(tensor<0xf32>)

// -----

// A product of sizes that wraps around to something harmless.
// expected-error @+1 {{parameter "w" is 'tensor<4294967296x4294967296xf32>', which takes more than 1,125,899,906,842,624 bytes (1.0 PiB); make it smaller}}
func.func @loss(%w: tensor<4294967296x4294967296xf32> {zero.param = "w"}) {
  return
}

// -----

// expected-error @+1 {{argument 0 is 'tensor<9223372036854775807xf32>', which takes more than}}
func.func @step(%w: tensor<9223372036854775807xf32>) {
  return
}

// -----

// expected-error @+1 {{argument 0 is '!zero.shard<4611686018427387904 x f32 by 2>', which takes more than}}
func.func @step(%w: !zero.shard<4611686018427387904 x f32 by 2>) {
  return
}

// -----

func.func @step(%w: tensor<1xf32>) {
  // expected-error @+1 {{'zero.split' op takes 'tensor<4xf32>' from row 9223372036854775807 of 'tensor<8xf32>'}}
  %1 = "zero.split"(%0) {row = 9223372036854775807 : i64} : (tensor<8xf32>) -> tensor<4xf32>
  %0 = tensor.empty() : tensor<8xf32>
  return
}

// -----

func.func @step(%a: tensor<9223372036854775807xf32>) {
  // expected-error @+1 {{'zero.join' op joins more rows than can be counted}}
  %0 = zero.join %a, %a : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32> -> tensor<4xf32>
  return
}

// -----

zero.axis @dp size 1
// expected-error @+1 {{'zero.bucket' op has -16 elements}}
"zero.bucket"() {sym_name = "b", axis = @dp, elements = -16 : i64, members = []} : () -> ()

// -----

// expected-error @+1 {{bytes from 9223372036854775807 on, 64 of them, end beyond what can be counted}}
func.func @step(%w: tensor<16xf32> {zero.at = #zero.bytes<device, 9223372036854775807 + 64>}) {
  return
}
