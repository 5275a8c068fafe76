//===- Layout.cpp - Places the operands of kernels ------------------------===//

#include "Layout.h"

#include "dialect/zero/Zero.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::zero;

static uint64_t elementBytes(Type type) {
  return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

static uint64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * elementBytes(tensor.getElementType());
}

static uint64_t bitsOf(Attribute element) {
  if (auto number = dyn_cast<FloatAttr>(element))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return cast<IntegerAttr>(element).getValue().getZExtValue();
}

static Attribute elementOf(const uint8_t *bytes, Type type) {
  uint64_t bits = 0;
  memcpy(&bits, bytes, elementBytes(type));
  APInt value(type.getIntOrFloatBitWidth(), bits, /*isSigned=*/false,
              /*implicitTrunc=*/true);
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(number.getFloatSemantics(), value));
  return IntegerAttr::get(type, value);
}

Elements zero::drawElements(RankedTensorType type, uint64_t seed,
                            uint64_t integers) {
  Elements elements;
  Type element = type.getElementType();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t drawn = seed >> 33;
    if (isa<FloatType>(element))
      elements.push_back(FloatAttr::get(element, double(drawn % 9) - 4));
    else
      elements.push_back(IntegerAttr::get(
          element, drawn % (element.isInteger(1) ? 2 : integers)));
  }
  return elements;
}

Elements zero::readElements(const uint8_t *bytes, RankedTensorType type) {
  Elements elements;
  const uint64_t size = elementBytes(type.getElementType());
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    elements.push_back(elementOf(bytes + i * size, type.getElementType()));
  return elements;
}

std::string zero::compareWithin(const uint8_t *bytes, const Elements &expected,
                                const Elements &errors, RankedTensorType type) {
  for (auto [i, found] : llvm::enumerate(readElements(bytes, type))) {
    double x = cast<FloatAttr>(found).getValueAsDouble(),
           y = cast<FloatAttr>(expected[i]).getValueAsDouble(),
           error = cast<FloatAttr>(errors[i]).getValueAsDouble();
    // An element that overflows 16 bits is not compared.
    if (std::isfinite(y) && std::isfinite(error) && !(std::abs(x - y) <= error))
      return llvm::formatv("element {0} is {1} instead of {2}, which is more "
                           "than {3} away",
                           i, x, y, error);
  }
  return "";
}

std::string zero::compare(const uint8_t *bytes, const Elements &expected,
                          RankedTensorType type, bool exact) {
  Type element = type.getElementType();
  double scale = 1;
  for (Attribute value : expected)
    if (auto number = dyn_cast_or_null<FloatAttr>(value);
        number && number.getValue().isFinite())
      scale = std::max(scale, std::abs(number.getValueAsDouble()));
  for (size_t i = 0; i < expected.size(); ++i) {
    Attribute found = elementOf(bytes + i * elementBytes(element), element);
    if (found == expected[i])
      continue;
    auto x = dyn_cast<FloatAttr>(found),
         y = dyn_cast_or_null<FloatAttr>(expected[i]);
    if (x && y) {
      double a = x.getValueAsDouble(), b = y.getValueAsDouble();
      // f32 to five digits; narrower types to one unit in the last place.
      const unsigned bits = APFloat::semanticsPrecision(
          cast<FloatType>(element).getFloatSemantics());
      const double most = std::max(1e-5, std::ldexp(1.0, 1 - int(bits)));
      if (a == b || (std::isnan(a) && std::isnan(b)) ||
          (!exact && std::abs(a - b) <= most * scale))
        continue;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "element " << i << " is " << found << " instead of ";
    if (expected[i])
      os << expected[i];
    else
      os << "nothing";
    return text;
  }
  return "";
}

/// The operand whose bytes result `i` takes over, because it must or may.
static std::optional<int64_t>
replacedBy(KernelOp kernel, unsigned i, ArrayRef<bool> taken, bool mayReplace) {
  if (std::optional<unsigned> must = kernel.getMustReplace(i))
    return *must;
  if (mayReplace)
    for (int64_t operand : kernel.getMayReplace(i))
      if (!taken[operand])
        return operand;
  return std::nullopt;
}

void Layout::add(Case &of, bool inPlace) {
  Launch launch{&of, inPlace, {}};
  for (auto [operand, type] :
       llvm::zip_equal(of.operands, of.kernel.getArgumentTypes())) {
    uint64_t offset = bytes.size();
    uint64_t size = elementBytes(cast<ShapedType>(type).getElementType());
    launch.args.push_back({ZRT_DEVICE, 0, offset, bytesOf(type)});
    bytes.resize(llvm::alignTo(offset + bytesOf(type) + 1, 64), 0xff);
    for (auto [i, element] : llvm::enumerate(operand)) {
      uint64_t bits = bitsOf(element);
      memcpy(bytes.data() + offset + i * size, &bits, size);
    }
  }
  launches.push_back(std::move(launch));
}

void Layout::finish() {
  operandBytes = bytes.size();
  for (Launch &launch : launches) {
    KernelOp kernel = launch.of->kernel;
    SmallVector<bool> taken(kernel.getNumArguments());
    for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
      if (auto found = replacedBy(kernel, i, taken, launch.inPlace)) {
        taken[*found] = true;
        launch.args.push_back(launch.args[*found]);
        continue;
      }
      launch.args.push_back({ZRT_DEVICE, 0, bytes.size(), bytesOf(type)});
      bytes.resize(llvm::alignTo(bytes.size() + bytesOf(type) + 1, 64), 0xff);
    }
  }
}
