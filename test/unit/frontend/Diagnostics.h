//===- Diagnostics.h - Collects a context's errors --------------*- C++ -*-===//
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

/// Collects errors as `"name": message`.
class Diagnostics {
public:
  explicit Diagnostics(mlir::MLIRContext &context)
      : handler(&context, [this](mlir::Diagnostic &diagnostic) {
          std::string text;
          llvm::raw_string_ostream out(text);
          if (auto name =
                  mlir::dyn_cast<mlir::NameLoc>(diagnostic.getLocation()))
            out << name.getName().getValue() << ": ";
          out << diagnostic.str();
          errors.push_back(text);
        }) {}

  std::vector<std::string> errors;

private:
  mlir::ScopedDiagnosticHandler handler;
};
