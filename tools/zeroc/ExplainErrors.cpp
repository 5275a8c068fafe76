//===- ExplainErrors.cpp - Notes to errors of MLIR ------------------------===//
#include "tools/zeroc/ExplainErrors.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

/// Explains linalg's error about shapes that do not fit.
static std::string explainShapes(StringRef message) {
  static const llvm::Regex shapes("input/output operand #([0-9]+) has shape's "
                                  "dimension #([0-9]+) to be ([0-9]+), but "
                                  "found ([0-9]+)");
  SmallVector<StringRef> parts;
  if (!shapes.match(message, &parts))
    return "";
  return ("dimension " + parts[2] + " of operand " + parts[1] + " is " +
          parts[4] + ", and the other operands need " + parts[3] +
          " (both are counted from 0)")
      .str();
}

static std::string explainError(StringRef message) {
  if (message.starts_with("unknown attribute `") &&
      message.ends_with("in dialect `zero`"))
    return "initial values are #zero.normal<std = 0.02>, "
           "#zero.uniform<low = -0.1, high = 0.1> or #zero.constant<0.0>";
  if (message.contains("must be statically shaped tensor") &&
      message.contains("tensor<?"))
    return "a program is compiled for one batch size and one sequence length; "
           "write numbers in place of ?";
  return explainShapes(message);
}

zero::ExplainErrors::ExplainErrors(MLIRContext &context)
    : ScopedDiagnosticHandler(&context) {
  setHandler([](Diagnostic &diagnostic) {
    if (std::string text = explainError(diagnostic.str()); !text.empty())
      diagnostic.attachNote() << text;
    return failure(); // the next handler prints it
  });
}
