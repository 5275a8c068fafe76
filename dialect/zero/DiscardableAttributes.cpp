//===- DiscardableAttributes.cpp - Checks of discardable attributes -------===//
//
// Verifies the dialect's attributes on modules, on operations of other
// dialects, and on arguments and results of functions: the name, the place and
// the type of each.  Any other name is an error, because a misspelt name would
// be ignored.
//
//===----------------------------------------------------------------------===//

#include "dialect/zero/Origin.h"
#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

enum Place : unsigned {
  OnModule = 1,
  OnOperation = 2,
  OnArgument = 4,
  OnResult = 8
};

/// An attribute; `type` describes its type in words.
struct Known {
  StringRef name;
  unsigned places;
  bool (*isOfType)(Attribute);
  StringRef type;
};

bool isNumber(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64);
}

template <typename T>
bool isArrayOf(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, llvm::IsaPred<T>);
}

bool isDictionaryOfStrings(Attribute value) {
  auto entries = dyn_cast<DictionaryAttr>(value);
  return entries && llvm::all_of(entries, [](NamedAttribute entry) {
           return isa<StringAttr>(entry.getValue());
         });
}

bool isPartOfKernel(Attribute value) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && list.size() > 2 && isa<FlatSymbolRefAttr>(list[0]) &&
         llvm::all_of(list.getValue().drop_front(), isNumber);
}

template <typename... Types>
bool isOneOf(Attribute value) {
  return isa<Types...>(value);
}

bool isTierNumbers(Attribute value) {
  auto numbers = dyn_cast<DenseI64ArrayAttr>(value);
  return numbers && numbers.size() == kNumTiers;
}

const Known kKnown[] = {
    {kLevelAttr, OnModule, isOneOf<StringAttr>, "a string"},
    {kTargetAttr, OnModule, isOneOf<TargetAttr>, "a #zero.target"},
    {kOptionsAttr, OnModule, isOneOf<OptionsAttr>, "a #zero.options"},
    {kGivenAttr, OnModule, isArrayOf<StringAttr>, "an array of strings"},
    {kReferenceAttr, OnModule, isOneOf<UnitAttr>, "a unit"},
    {kLossChunkAttr, OnModule, isNumber, "an i64"},
    {kGradDtypeAttr, OnModule, isOneOf<StringAttr>, "a string"},
    {kSampleAttr, OnModule, isOneOf<StringAttr>, "a string"},
    {kContextAttr, OnModule, isNumber, "an i64"},
    {kAdaptersAttr, OnModule, isOneOf<StringAttr>, "a string"},
    {kFunctionAttr, OnModule, isDictionaryOfStrings, "a dictionary of strings"},
    {kStageAttr, OnModule, isNumber, "an i64"},
    {kMicroStepsAttr, OnModule, isNumber, "an i64"},
    {kArenaAttr, OnModule, isTierNumbers, "an i64 of each tier"},
    {kLivePeakAttr, OnModule, isTierNumbers, "an i64 of each tier"},
    {kBudgetAttr, OnModule, isTierNumbers, "an i64 of each tier"},
    {kExportedAttr, OnModule, isNumber, "an i64"},
    {kWorkspaceAttr, OnModule, isOneOf<BytesAttr>, "a #zero.bytes"},
    {kStreamAttr, OnOperation, isOneOf<StreamAttr>, "a #zero.stream"},
    {kBytesAttr, OnOperation, isArrayOf<BytesAttr>, "an array of #zero.bytes"},
    {kSameAttr, OnOperation, isOneOf<DenseI64ArrayAttr>, "an array of i64"},
    {kRestOfAttr, OnOperation, isPartOfKernel,
     "a kernel and the numbers of results"},
    {kMicroAttr, OnOperation | OnArgument | OnResult, isNumber, "an i64"},
    {kKernelsAttr, OnOperation, isArrayOf<FlatSymbolRefAttr>,
     "an array of symbols"},
    {kPlainAttr, OnOperation, isOneOf<FlatSymbolRefAttr>, "a symbol"},
    {kBytesAttr, OnArgument, isOneOf<BytesAttr>, "a #zero.bytes"},
    {kParamAttr, OnArgument, isOneOf<StringAttr>, "a string"},
    {kFrozenAttr, OnArgument, isOneOf<UnitAttr>, "a unit"},
    {kPackingAttr, OnArgument, isOneOf<PackingAttr>, "a #zero.packing"},
    {kInitAttr, OnArgument, isOneOf<NormalAttr, UniformAttr, ConstantAttr>,
     "#zero.normal, #zero.uniform or #zero.constant"},
    {kInputAttr, OnArgument, isOneOf<StringAttr>, "a string"},
    {kBlockAttr, OnArgument, isOneOf<StringAttr>, "a string"},
    {kVocabAttr, OnArgument, isNumber, "an i64"},
    {kIgnoredAttr, OnArgument, isNumber, "an i64"},
    {kSeparatorAttr, OnArgument, isNumber, "an i64"},
    {kKeptEveryAttr, OnArgument, isNumber, "an i64"},
    {kStateAttr, OnArgument, isOneOf<StateAttr>, "a #zero.state"},
    {kScalarAttr, OnArgument, isOneOf<StringAttr>, "a string"},
    {kCacheAttr, OnArgument, isOneOf<StringAttr>, "a string"},
    {kGradAttr, OnResult, isOneOf<StringAttr>, "a string"},
    {kOutputAttr, OnResult, isOneOf<StringAttr>, "a string"},
    {kMustAliasAttr, OnResult, isNumber, "an i64"},
    {kInPlaceAttr, OnResult, isOneOf<DenseI64ArrayAttr>, "an array of i64"},
};

/// "; did you mean zero.param?" if an attribute of `place` has a similar name,
/// else "".
std::string suggest(StringRef unknown, Place place) {
  constexpr unsigned kMostChanges = 3;
  unsigned nearest = kMostChanges + 1;
  StringRef meant;
  for (const Known &known : kKnown) {
    if (!(known.places & place))
      continue;
    // Finds zero.param for zero.parameter and for zero.parm.
    unsigned changes =
        unknown.starts_with(known.name)
            ? 0
            : unknown.edit_distance(known.name, true, kMostChanges);
    if (changes < nearest) {
      nearest = changes;
      meant = known.name;
    }
  }
  return meant.empty() ? "" : ("; did you mean " + meant + "?").str();
}

LogicalResult check(Operation *op, NamedAttribute attribute, Place place,
                    const Twine &where) {
  for (const Known &known : kKnown) {
    if (known.name != attribute.getName() || !(known.places & place))
      continue;
    if (known.isOfType(attribute.getValue()))
      return success();
    return op->emitOpError("has ")
           << known.name << " = " << attribute.getValue() << where << "; it is "
           << known.type;
  }
  return op->emitOpError("has ")
         << attribute.getName() << where
         << ", and the dialect has no such attribute there"
         << suggest(attribute.getName(), place);
}

} // namespace

LogicalResult ZeroDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  return check(op, attribute, isa<ModuleOp>(op) ? OnModule : OnOperation, "");
}

LogicalResult ZeroDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned argument,
                                                    NamedAttribute attribute) {
  return check(op, attribute, OnArgument, " of argument " + Twine(argument));
}

LogicalResult ZeroDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  return check(op, attribute, OnResult, " of result " + Twine(result));
}
