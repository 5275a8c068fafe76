// RUN: zero-opt %s --zero-call-attention=width=128 -split-input-file -verify-diagnostics

func.func @floats(%q: tensor<1x4x1x8xf32>) -> tensor<1x4x1x8xf32> {
  // expected-error @below {{multiplies f32, and cuDNN's bf16 or f16; add --precision=bf16 or drop --attention=cudnn}}
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x4x1x8xf32>, tensor<1x4x1x8xf32>
  return %o : tensor<1x4x1x8xf32>
}

// -----

func.func @odd(%q: tensor<1x4x1x12xbf16>) -> tensor<1x4x1x12xbf16> {
  // expected-error @below {{has heads of 12 columns, and cuDNN's multiples of 8 up to 128; drop --attention=cudnn}}
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x4x1x12xbf16>, tensor<1x4x1x12xbf16>
  return %o : tensor<1x4x1x12xbf16>
}

// -----

func.func @wide(%q: tensor<1x4x1x136xbf16>) -> tensor<1x4x1x136xbf16> {
  // expected-error @below {{has heads of 136 columns}}
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64} : tensor<1x4x1x136xbf16>, tensor<1x4x1x136xbf16>
  return %o : tensor<1x4x1x136xbf16>
}

// -----

func.func @documents(%q: tensor<1x4x1x8xbf16>, %starts: tensor<1x4xi32>) -> tensor<1x4x1x8xbf16> {
  // expected-error @below {{stays within documents, and cuDNN's does not; drop --attention=cudnn}}
  %o = nn.attention %q, %q, %q from %starts {causal, scale = 0.5 : f64} : tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>, tensor<1x4xi32>
  return %o : tensor<1x4x1x8xbf16>
}

// -----

func.func @dropout(%q: tensor<1x4x1x8xbf16>, %keys: tensor<1xi64>) -> tensor<1x4x1x8xbf16> {
  // expected-error @below {{has dropout of 0.1, and cuDNN's has other random numbers}}
  %o = nn.attention %q, %q, %q by %keys {causal, scale = 0.5 : f64, rate = 0.1 : f64, place = 3 : i64} : tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16> by tensor<1xi64>
  return %o : tensor<1x4x1x8xbf16>
}

// -----

func.func @caps(%q: tensor<1x4x1x8xbf16>) -> tensor<1x4x1x8xbf16> {
  // expected-error @below {{has scores that are capped at 30, and cuDNN's are not}}
  %o = nn.attention %q, %q, %q {causal, scale = 0.5 : f64, soft_cap = 30.0 : f64} : tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>
  return %o : tensor<1x4x1x8xbf16>
}

// -----

func.func @statistics(%q: tensor<1x4x1x8xbf16>, %lse: tensor<1x1x4xf32>) -> tensor<1x4x1x8xbf16> {
  // expected-error @below {{reads statistics that no nn.attention makes}}
  %dq, %dk, %dv = nn.attention_backward %q, %q, %q, %q, %lse, %lse {causal, scale = 0.5 : f64} : tensor<1x4x1x8xbf16>, tensor<1x4x1x8xbf16>, tensor<1x1x4xf32>
  return %dq : tensor<1x4x1x8xbf16>
}
