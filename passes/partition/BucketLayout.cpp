//===- BucketLayout.cpp - Assignment of parameters to buckets -------------===//

#include "passes/partition/BucketLayout.h"

#include "dialect/zero/BytesText.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>
#include <utility>

using namespace mlir;
using namespace mlir::zero;

StringRef zero::getBlockOfName(StringRef parameter) {
  for (size_t begin = 0; begin < parameter.size();) {
    size_t end = std::min(parameter.find('.', begin), parameter.size());
    StringRef word = parameter.slice(begin, end);
    if (end < parameter.size() && !word.empty() &&
        llvm::all_of(word, [](char c) { return llvm::isDigit(c); }))
      return parameter.take_front(end);
    begin = end + 1;
  }
  return parameter.contains('.') ? parameter.rsplit('.').first : parameter;
}

StringRef zero::getBlockOfLayer(StringRef parameter) {
  parameter.consume_front("base_model.model.");
  return getBlockOfName(parameter);
}

namespace {

/// A parameter, or some rows of one.
struct Rows {
  unsigned parameter;
  int64_t first = 0, count = 0; ///< 0: all
};

class Layouter {
public:
  Layouter(ArrayRef<LayoutParameter> parameters, const LayoutOptions &options)
      : parameters(parameters), options(options),
        vectors(options.slices * (options.inBlocks
                                      ? QuantizedBlockType::kElements
                                      : BucketOp::kAlignment)) {}

  LogicalResult
  checkNumPieces(function_ref<InFlightDiagnostic()> emitError) const;
  BucketLayout run();

private:
  /// Every bucket adds several operations to the plan.
  static constexpr int64_t kMaxPieces = 16384;

  /// The parameters of a future bucket.
  struct Group {
    SmallVector<Rows, 1> rows; ///< in the parameters' order
    bool whole, frozen;
    std::optional<Packing> packing;
    int64_t bytes; ///< if each had its own bucket
  };

  ArrayRef<LayoutParameter> parameters;
  const LayoutOptions &options;
  int64_t vectors; ///< elements with which each rank's slice is one vector
  SmallVector<Group> groups;

  StringRef blockOf(unsigned parameter) const {
    const LayoutParameter &of = parameters[parameter];
    return of.block ? of.block.getValue() : getBlockOfName(of.name.getValue());
  }
  /// On one rank all are; but where slices do not depend on the number of
  /// ranks, the layout does not either.
  bool isWhole(unsigned parameter) const {
    return options.slices == 1 || options.stage < 3 ||
           parameters[parameter].getBytes() < options.persistBelow;
  }
  /// Bytes of a bucket for the parameter alone.
  int64_t paddedBytes(unsigned parameter) const {
    if (parameters[parameter].packing)
      return llvm::alignTo(parameters[parameter].getBytes(), vectors);
    RankedTensorType type = parameters[parameter].type;
    return llvm::alignTo(type.getNumElements(), vectors) *
           (getByteSize(type) / type.getNumElements());
  }

  int64_t rowsOfPiece(unsigned parameter) const;
  void formGroups();
  bool fits(const Group &group, unsigned parameter) const;
  LayoutBucket layOut(const Group &group, size_t number) const;
  std::string describe(const Group &group) const;
};

} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// The number of rows in a piece, or 0 if the parameter is not cut.  Pieces
/// consist of whole vectors, so that they follow each other in memory without
/// padding, or of whole runs.
int64_t Layouter::rowsOfPiece(unsigned parameter) const {
  RankedTensorType type = parameters[parameter].type;
  int64_t bytes = parameters[parameter].getBytes();
  if (options.bucketSize == 0 || (isWhole(parameter) && !options.fetched) ||
      type.getRank() == 0 || bytes <= options.bucketSize)
    return 0;
  int64_t rows = type.getDimSize(0);
  int64_t width = type.getNumElements() / rows, fitting = 0, unit = 0;
  if (std::optional<Packing> packing = parameters[parameter].packing) {
    unit = kPackedRunElements / std::gcd(width, kPackedRunElements);
    int64_t unitBytes = getPackedBytes(*packing, unit * width);
    fitting = options.bucketSize / unitBytes * unit;
  } else {
    unit = vectors / std::gcd(width, vectors);
    fitting = options.bucketSize / (bytes / rows) / unit * unit;
  }
  int64_t most = std::max(unit, fitting);
  return most < rows ? most : 0;
}

LogicalResult
Layouter::checkNumPieces(function_ref<InFlightDiagnostic()> emitError) const {
  int64_t pieces = 0, bytes = 0;
  for (unsigned i = 0; i < parameters.size(); ++i) {
    bytes += paddedBytes(i);
    if (int64_t most = rowsOfPiece(i))
      pieces += llvm::divideCeil(parameters[i].type.getDimSize(0), most);
  }
  if (pieces <= kMaxPieces)
    return success();
  return emitError() << "bucket-size=" << options.bucketSize << " would make "
                     << pieces << " buckets, more than " << kMaxPieces
                     << "; use at least "
                     << bytesText(llvm::divideCeil(bytes, kMaxPieces / 2));
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool Layouter::fits(const Group &group, unsigned parameter) const {
  if (options.bucketSize == 0)
    return blockOf(group.rows.back().parameter) == blockOf(parameter);
  return group.bytes + paddedBytes(parameter) <= options.bucketSize;
}

void Layouter::formGroups() {
  // For each way of keeping parameters, the group that the next one may join.
  std::optional<size_t> open[2][2][3];
  for (unsigned i = 0; i < parameters.size(); ++i) {
    bool whole = isWhole(i), frozen = parameters[i].frozen;
    std::optional<Packing> packing = parameters[i].packing;
    std::optional<size_t> &mine =
        open[whole][frozen][packing ? static_cast<unsigned>(*packing) : 0];
    if (int64_t most = rowsOfPiece(i)) {
      int64_t rows = parameters[i].type.getDimSize(0);
      for (int64_t first = 0; first < rows; first += most)
        groups.push_back({{Rows{i, first, std::min(most, rows - first)}},
                          whole,
                          frozen,
                          packing,
                          0});
      mine = std::nullopt;
      continue;
    }
    if (!mine || !fits(groups[*mine], i)) {
      mine = groups.size();
      groups.push_back({{}, whole, frozen, packing, 0});
    }
    groups[*mine].rows.push_back({i});
    groups[*mine].bytes += paddedBytes(i);
  }
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// "h.0", or the first parameter and how many follow.
std::string Layouter::describe(const Group &group) const {
  unsigned first = group.rows.front().parameter;
  StringRef parameter = parameters[first].name.getValue();
  size_t more = group.rows.size() - 1;
  if (more == 0)
    return parameter.str();
  if (llvm::all_of(group.rows, [&](const Rows &rows) {
        return blockOf(rows.parameter) == blockOf(first);
      }))
    return blockOf(first).str();
  return (parameter + " and " + Twine(more) + " more").str();
}

LayoutBucket Layouter::layOut(const Group &group, size_t number) const {
  std::string name = "b" + std::to_string(number);
  LayoutBucket bucket{name,         describe(group),
                      options.axis, group.whole || options.ranks == 1,
                      group.frozen, group.packing,
                      {},           /*elements=*/0};
  for (bool decay : {true, false})
    for (const Rows &rows : group.rows) {
      const LayoutParameter &parameter = parameters[rows.parameter];
      if (parameter.decay != decay)
        continue;
      SmallVector<int64_t> shape(parameter.type.getShape());
      int64_t ofRows = rows.count ? std::exchange(shape[0], rows.count) : 0;
      auto attr = MemberAttr::get(parameter.name.getContext(), parameter.name,
                                  shape, bucket.elements, rows.first, ofRows,
                                  decay, parameter.init);
      bucket.members.push_back({rows.parameter, attr});
      int64_t size = group.packing
                         ? getPackedBytes(*group.packing, attr.getNumElements())
                         : attr.getNumElements();
      bucket.elements += llvm::alignTo(size, BucketOp::kAlignment);
    }
  bucket.elements = llvm::alignTo(bucket.elements, vectors);
  return bucket;
}

BucketLayout Layouter::run() {
  formGroups();
  BucketLayout layout;
  layout.places.resize(parameters.size());
  for (auto [k, group] : llvm::enumerate(groups)) {
    layout.buckets.push_back(layOut(group, k));
    for (auto [m, member] : llvm::enumerate(layout.buckets.back().members))
      layout.places[member.parameter].push_back({unsigned(k), unsigned(m)});
  }
  return layout;
}

FailureOr<BucketLayout>
zero::layOutBuckets(ArrayRef<LayoutParameter> parameters,
                    const LayoutOptions &options,
                    function_ref<InFlightDiagnostic()> emitError) {
  Layouter layouter(parameters, options);
  if (failed(layouter.checkNumPieces(emitError)))
    return failure();
  return layouter.run();
}
