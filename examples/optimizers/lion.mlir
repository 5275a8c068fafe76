// Lion (Chen et al., 2023): the sign of a weighted sum of momentum and gradient,
// with decoupled weight decay.  This is --optimizer=lion as a file, with the same
// bits: a start for a rule of your own (docs/optimizers.md).
//
//   zeroc model.mlir --optimizer=lion.mlir --optimizer-numbers=beta1=0.95,beta2=0.98
//
zero.optimizer @lion(%p: f32, %g: f32, %m: f32, %lr: f32, %decay: f32, %beta1: f32, %beta2: f32)
    state ["m"] scalars ["lr", "decay", "beta1", "beta2"]
    attributes {defaults = {beta1 = 0.9, beta2 = 0.99}} {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32

  // update = sign(beta1 m + (1 - beta1) g), and 0 of 0
  %rest1 = arith.subf %one, %beta1 : f32
  %old1 = arith.mulf %beta1, %m : f32
  %new1 = arith.mulf %rest1, %g : f32
  %mixed = arith.addf %old1, %new1 : f32
  %signed = math.copysign %one, %mixed : f32
  %is_zero = arith.cmpf oeq, %mixed, %zero : f32
  %update = arith.select %is_zero, %zero, %signed : f32

  // m = beta2 m + (1 - beta2) g
  %rest2 = arith.subf %one, %beta2 : f32
  %old2 = arith.mulf %beta2, %m : f32
  %new2 = arith.mulf %rest2, %g : f32
  %m1 = arith.addf %old2, %new2 : f32

  // p = p (1 - lr decay) - lr update
  %pull = arith.mulf %lr, %decay : f32
  %keep = arith.subf %one, %pull : f32
  %kept = arith.mulf %p, %keep : f32
  %change = arith.mulf %lr, %update : f32
  %p1 = arith.subf %kept, %change : f32
  zero.yield %p1, %m1 : f32, f32
}
