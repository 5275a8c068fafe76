//===- Messages.cpp - Prints diagnostics with their place -----------------===//
#include "tools/zeroc/model/Messages.h"

#include "dialect/zero/Locations.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::zero;

zero::Messages::Messages(llvm::SourceMgr &sources, MLIRContext &context,
                         StringRef input)
    : SourceMgrDiagnosticHandler(sources, &context),
      input(input == "-" ? "<stdin>" : input) {
  setHandler([this](Diagnostic &diagnostic) { emit(diagnostic); });
}

static bool hasLine(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  return place && place.getLine() != 0;
}

void zero::Messages::emit(Diagnostic &diagnostic) {
  if (hasLine(diagnostic.getLocation()))
    return emitDiagnostic(diagnostic); // with its notes
  emitWithoutLine(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    emit(note);
}

static StringRef stringify(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("a message of no severity");
}

void zero::Messages::emitWithoutLine(Diagnostic &diagnostic) {
  std::string name = describeLocation(diagnostic.getLocation());
  os << input << ": " << name << (name.empty() ? "" : ": ")
     << stringify(diagnostic.getSeverity()) << ": " << diagnostic << '\n';
}
