//===- SuggestOperations.cpp - Suggests names of operations ---------------===//
#include "tools/zeroc/SuggestOperations.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

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

static std::string suggest(MLIRContext &context, StringRef unknown) {
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

zero::SuggestOperations::SuggestOperations(MLIRContext &context)
    : ScopedDiagnosticHandler(&context) {
  setHandler([&context](Diagnostic &diagnostic) {
    std::string message = diagnostic.str();
    if (StringRef unknown = unknownOperation(message); !unknown.empty())
      if (std::string text = suggest(context, unknown); !text.empty())
        diagnostic.attachNote() << text;
    return failure(); // the next handler prints it
  });
}
