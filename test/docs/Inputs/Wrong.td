def Wrong : Op {
  let description = [{
    ```mlir
    %b = zero.copy %a : tensor<8xf32>
    ```
  }];
}
