//===- Options.td - Options, targets and initial values ----*- tablegen -*-===//
#ifndef ZERO_OPTIONS
#define ZERO_OPTIONS

include "dialect/zero/Base.td"

def Zero_NormalAttr : Zero_Attr<"Normal", "normal"> {
  let summary = "Initial values drawn from a normal distribution";
  let description = [{ `#zero.normal<std = 0.02>`, with mean zero. }];
  let parameters = (ins Zero_Double:$std);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_UniformAttr : Zero_Attr<"Uniform", "uniform"> {
  let summary = "Initial values drawn uniformly from [low, high)";
  let parameters = (ins Zero_Double:$low, Zero_Double:$high);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Zero_ConstantAttr : Zero_Attr<"Constant", "constant"> {
  let summary = "One initial value for every element";
  let description = [{ `#zero.constant<1.0>` }];
  let parameters = (ins Zero_Double:$value);
  let assemblyFormat = "`<` $value `>`";
}

def Zero_AdamWAttr : Zero_Attr<"AdamW", "adamw"> {
  let summary = "The update rule of AdamW";
  let parameters = (ins Zero_Double:$beta1, Zero_Double:$beta2, Zero_Double:$eps);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_LionAttr : Zero_Attr<"Lion", "lion"> {
  let summary = "The update rule of Lion";
  let parameters = (ins Zero_Double:$beta1, Zero_Double:$beta2);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_SGDAttr : Zero_Attr<"SGD", "sgd"> {
  let summary = "The update rule of stochastic gradient descent";
  let parameters = (ins Zero_Double:$momentum);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_TargetAttr : Zero_Attr<"Target", "target"> {
  let summary = "What runs the device's streams of a plan";
  let description = [{
    ```mlir
    zero.target = #zero.target<name = "cuda", arch = "sm_90", workspace = 33554432>
    ```
    `name` is an entry of targets/, `arch` one of its architectures.  Products on
    the device use `workspace` bytes of it while they run.  A plan without the
    attribute runs on the host's processors.

    Constraints:
    * (C1) `workspace` is not negative.
  }];
  let parameters = (ins StringRefParameter<>:$name, StringRefParameter<"", [{""}]>:$arch,
                        DefaultValuedParameter<"int64_t", "0">:$workspace);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Zero_OptionsAttr : Zero_Attr<"Options", "options"> {
  let summary = "The options that a plan was made with";
  let description = [{
    ```mlir
    #zero.options<optimizer = #zero.adamw<beta1 = 0.9, beta2 = 0.95, eps = 1.0e-08>,
                  weight_decay = 0.1, grad_clip = 1.0, stage = 3, world_size = 2, accumulate = 4,
                  bucket_size = 65536>
    ```

    Each field is the option of zeroc with that name; abi/PlanOptions.def lists them
    with their ranges.  Fields that have their default are not written, but for
    `weight_decay`, `grad_clip`, `stage` and `world_size`.  Without `grad_dtype`
    gradients have the type of the parameters, and their sums over micro-steps are f32.

    Constraints:
    * (C1) the optimizer is a #zero.adamw, a #zero.lion, a #zero.sgd, or a string: a
      `zero.optimizer` that the model brought, as it was, without `clip`.
    * (C2) numbers are finite and in their range.
    * (C3) so are counts and bytes.
    * (C4) words are those of the list.
    * (C6) types, (C7) updates that run in the next step, (C8) several micro-steps,
      (C9) programs that do not train, (C10) the reference, (C11) stages, and parts of
      other options, (C12) groups of ranks, (C13) virtual shards, (C14) wires, (C15) contexts: options
      have what abi/PlanRules.def says that they need, and nothing that it excludes.
    * (C12) sizes of groups that are not 0 are equal, and a divisor of `world_size`
      between 1 and itself.
    * (C13) `virtual_shards` is 0, or a power of two and `world_size` x `accumulate`.
    * (C15) `context` divides `world_size`.
  }];
  let parameters = (ins "::mlir::Attribute":$optimizer, "::mlir::zero::PlanOptions":$values);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Words of enumerations as they are typed.
    #define ZERO_OPTION(TYPE, FIELD, GETTER, USAGE, DEFAULT, EFFECT)              \
      auto get##GETTER() const { return read(getValues().FIELD); }
    #include "abi/PlanOptions.def"

    /// One option, such as "--betas", and its value, as a user types it.
    struct Word {
      ::llvm::StringRef option;
      std::string value;
      /// Whether zeroc would take it so without being told.
      bool isImplied = false;
    };
    ::mlir::SmallVector<Word> getWords() const;
    /// All that are not implied, as a command line.
    std::string getText() const;
    /// The elements of parameters, of gradients as they leave the model and travel,
    /// of their sums over micro-steps, and of the optimizer's slots.
    ::mlir::Type getParameterElement() const;
    ::mlir::Type getGradientElement() const;
    ::mlir::Type getSumElement() const;
    ::mlir::Type getStateElement() const;
    /// Whether updates work on masters.
    bool hasMasters() const {
      bool isApart = getOffloadOptimizer() != "none" && getOffloadParams() == "none";
      return isApart || (getPrecision() != "fp32" && getMaster() != "none");
    }

    static bool read(bool value) { return value; }
    static int64_t read(int64_t value) { return value; }
    static ::llvm::APFloat read(double value) { return ::llvm::APFloat(value); }
    template <typename Enum> static ::llvm::StringRef read(Enum value) { return stringify(value); }
  }];
}

#endif
