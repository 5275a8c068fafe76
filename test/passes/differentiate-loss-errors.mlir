// RUN: zero-opt %s --zero-differentiate-loss --split-input-file --verify-diagnostics

func.func @loss(%w: tensor<4x64xf32> {zero.param = "w"}) -> tensor<4x64xf32> {
  // expected-error @+1 {{the loss must be a scalar, tensor<f32> or tensor<f64>, got 'tensor<4x64xf32>'; reduce it, for example with nn.cross_entropy}}
  return %w : tensor<4x64xf32>
}

// -----

func.func @loss(%w: tensor<bf16> {zero.param = "w"}) -> tensor<bf16> {
  // expected-error @+1 {{the loss must be a scalar, tensor<f32> or tensor<f64>, got 'tensor<bf16>'}}
  return %w : tensor<bf16>
}

// -----

// expected-error @+1 {{the model must return one value, the loss, got 2}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> (tensor<f32>, tensor<f32>) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error @+1 {{has no public function with zero.param arguments; mark the parameters of @loss}}
module {
  func.func @loss(%w: tensor<f32> {zero.input = "w"}) -> tensor<f32> {
    return %w : tensor<f32>
  }
}

// -----

// expected-note @+1 {{the first is here}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  return %w : tensor<f32>
}
// expected-error @+1 {{is a second function with zero.param arguments; a module holds one model}}
func.func @other(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

func.func @loss(%w: tensor<f32> {zero.param = "h.0.w"},
                // expected-error @+1 {{parameter names must be unique and not empty, got "h.0.w"}}
                %v: tensor<f32> {zero.param = "h.0.w"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{parameter names must be unique and not empty, got ""}}
func.func @loss(%w: tensor<f32> {zero.param = ""}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

func.func @loss(%w: tensor<f32> {zero.param = "w"},
                // expected-error @+1 {{argument 1 is neither a parameter nor an input; give it zero.param or zero.input}}
                %x: tensor<f32>) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{argument 0 is both a parameter and an input; drop zero.param or zero.input}}
func.func @loss(%w: tensor<f32> {zero.param = "w", zero.input = "w"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

func.func @loss(%w: tensor<f32> {zero.param = "w"},
                // expected-error @+1 {{parameter "v" must be a tensor of floats with a static shape, got 'tensor<?xf32>'}}
                %v: tensor<?xf32> {zero.param = "v"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error @+1 {{the model must be one block, got 2; branches have no place in a plan}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  cf.br ^next
^next:
  return %w : tensor<f32>
}

// -----

// expected-warning @+1 {{parameter "w" does not reach the loss; its gradient is zero}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}, %v: tensor<f32> {zero.param = "v"}) -> tensor<f32> {
  return %v : tensor<f32>
}

// -----

// The parameter is named, not only the operation.
// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  %0 = math.exp %w : tensor<f32>
  %yes = arith.constant true
  // expected-error @+1 {{'scf.if' has no derivative}}
  %1 = scf.if %yes -> tensor<f32> {
    scf.yield %0 : tensor<f32>
  } else {
    scf.yield %w : tensor<f32>
  }
  return %1 : tensor<f32>
}

// -----

// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  // expected-error @+1 {{'linalg.generic' has no derivative: result 0 reduces loops, but its accumulator is not used once, in a sum, product, maximum or minimum with a term}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%w : tensor<4xf32>) outs(%x : tensor<f32>) {
  ^bb0(%s: f32, %acc: f32):
    %p = arith.divf %acc, %s : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// What is rounded does not depend on its operand.
// expected-warning @+1 {{parameter "w" does not reach the loss; its gradient is zero}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  %0 = math.floor %w : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// A body's operation is named at its own location.
// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%w : tensor<4xf32>) outs(%x : tensor<f32>) {
  ^bb0(%s: f32, %acc: f32):
    %yes = arith.constant true
    // expected-error @+1 {{'scf.if' has no derivative}}
    %r = scf.if %yes -> f32 {
      scf.yield %s : f32
    } else {
      scf.yield %s : f32
    }
    %p = arith.addf %r, %acc : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %f: tensor<8xf32> {zero.input = "f"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  // expected-error @+1 {{'linalg.generic' has no derivative with respect to operand 0: its map affine_map<(d0) -> (d0 floordiv 2)> is not made of sums of loops times constants}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]} ins(%w, %f : tensor<4xf32>, tensor<8xf32>) outs(%x : tensor<f32>) {
  ^bb0(%s: f32, %t: f32, %acc: f32):
    %q = arith.mulf %s, %t : f32
    %p = arith.addf %q, %acc : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<4xf32> {zero.param = "w"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  %zero = arith.constant 0 : index
  // expected-error @+1 {{'linalg.generic' has no derivative: its region reads a value from outside that depends on a parameter; pass it as an operand}}
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%w : tensor<4xf32>) outs(%x : tensor<f32>) {
  ^bb0(%s: f32, %acc: f32):
    %v = tensor.extract %w[%zero] : tensor<4xf32>
    %t = arith.mulf %s, %v : f32
    %p = arith.addf %t, %acc : f32
    linalg.yield %p : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-note @+1 {{parameter "x" reaches it}}
func.func @loss(%x: tensor<1x3xf32> {zero.param = "x"}, %t: tensor<1xi32> {zero.input = "t"}) -> tensor<f32> {
  // expected-error @+1 {{'nn.cross_entropy' has no derivative through its statistics; use its first result only}}
  %loss, %lse = nn.cross_entropy %x, %t : tensor<1x3xf32>, tensor<1xi32> -> tensor<f32> stats tensor<1xf32>
  %0 = tensor.collapse_shape %lse [] : tensor<1xf32> into tensor<f32>
  %1 = arith.addf %loss, %0 : tensor<f32>
  return %1 : tensor<f32>
}

// -----

// The bits of a float are no function of it that can be followed.
// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  // expected-error @+1 {{'arith.bitcast' has no derivative: it reads a float as an integer}}
  %0 = arith.bitcast %w : tensor<f32> to tensor<i32>
  %1 = arith.addi %0, %0 : tensor<i32>
  %2 = arith.bitcast %1 : tensor<i32> to tensor<f32>
  %3 = arith.addf %w, %2 : tensor<f32>
  return %3 : tensor<f32>
}

// -----

func.func private @log(tensor<f32>)
// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<f32> {zero.param = "w"}) -> tensor<f32> {
  // expected-error @+1 {{'func.call' may have side effects, so it has no derivative; a loss is a pure function of tensors}}
  func.call @log(%w) : (tensor<f32>) -> ()
  return %w : tensor<f32>
}

// -----

// expected-note @+1 {{parameter "w" reaches it}}
func.func @loss(%w: tensor<8xf32> {zero.param = "w"}, %x: tensor<f32> {zero.input = "x"}) -> tensor<f32> {
  // expected-error @+1 {{'linalg.generic' has no derivative: result 1 depends on what another one is reduced to so far; compute it by an operation of its own}}
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%w : tensor<8xf32>) outs(%x, %x : tensor<f32>, tensor<f32>) {
  ^bb0(%s: f32, %one: f32, %two: f32):
    %p = arith.addf %s, %one : f32
    %q = arith.addf %p, %two : f32
    linalg.yield %p, %q : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %0#1 : tensor<f32>
}
