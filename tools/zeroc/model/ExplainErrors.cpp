//===- ExplainErrors.cpp - Notes to errors of MLIR ------------------------===//
#include "tools/zeroc/model/Messages.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

/// The largest edit distance of similar names, for long names; for short ones
/// it is half of their length.
static constexpr size_t kMostChanges = 3;

/// Returns the name that the parser's message calls unknown, or "".
static StringRef unknownOperation(StringRef message) {
  bool isPretty = message.consume_front("custom op '");
  if (!isPretty && !message.consume_front("unregistered operation '"))
    return "";
  auto [name, rest] = message.split('\'');
  return isPretty && !rest.starts_with(" is unknown") ? "" : name;
}

/// Suggests other names for the operation that `message` calls unknown.
static std::string suggest(MLIRContext &context, StringRef message) {
  StringRef unknown = unknownOperation(message);
  if (unknown.empty())
    return "";
  StringRef dialect = unknown.split('.').first;
  context.getOrLoadDialect(dialect); // else it has no operations yet
  SmallVector<StringRef> all, alike;
  // In MLIR 22, the query for the operations of one dialect finds none if
  // several dialects are loaded.
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == dialect)
      all.push_back(name.getStringRef());
  llvm::sort(all);
  size_t letters = unknown.size() - dialect.size() - 1;
  unsigned nearest = std::min(kMostChanges, letters / 2);
  for (StringRef name : all) {
    unsigned changes =
        unknown.edit_distance(name, /*AllowReplacements=*/true, nearest);
    if (changes < nearest)
      alike.clear();
    if (changes <= nearest) {
      nearest = changes;
      alike.push_back(name);
    }
  }
  if (!alike.empty())
    return "did you mean " + llvm::join(alike, " or ") + "?";
  if (dialect == "nn") // few enough to be listed
    return dialect.str() + " has " + llvm::join(all, ", ") +
           "; what is not among them is written in linalg, tensor, arith and "
           "math";
  return "";
}

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
  setHandler([&context](Diagnostic &diagnostic) {
    const std::string message = diagnostic.str();
    for (const std::string &text :
         {explainError(message), suggest(context, message)})
      if (!text.empty())
        diagnostic.attachNote() << text;
    return failure(); // the next handler prints it
  });
}
