//===- Clusters.cpp - Groups operations into kernels ----------------------===//
//
// Each operation has a row space: its leading parallel loops, up to the loop
// that walks contiguous memory.  In program order each operation joins the
// cluster of one of its producers, or of a reader of the same values, when
//
// * the row spaces are equal (or the operation is one scalar per row),
// * every tensor between them is indexed by the rows in the same way, so that a
//   row of the consumer needs exactly that row of the producer, and
// * the cluster is open: no operation outside reads its results yet.  The
//   launch stands at the cluster's last member, so this keeps definitions
//   before uses.
//
// A temporary inside a kernel then lives for one row and stays in cache.
//
// Inserts that chain into one tensor are a kernel of the rows that all of them
// fill.
//
//===----------------------------------------------------------------------===//

#include "passes/kernels/Clusters.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/KernelUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::zero;

namespace {

/// Fewer columns are summed as one unit.
constexpr int64_t kLeastColumns = 16;
/// Row temporaries of one kernel live on its thread's stack.
constexpr int64_t kMaxRowTemporaryBytes = 256 << 10;

using LoopRange = ArrayRef<int64_t>;

bool isRowMap(AffineMap map, size_t rows) {
  if (map.getNumResults() < rows)
    return false;
  for (size_t i = 0; i < rows; ++i) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(i));
    if (!dim || dim.getPosition() != i)
      return false;
  }
  return true;
}

struct Shape {
  KernelKind kind;
  SmallVector<int64_t> space;
};

/// The parallelism an operation has on its own.
Shape shapeOf(linalg::LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  int contiguous = contiguousLoop(op);
  SmallVector<int64_t> rows;
  for (int loop = 0; loop < contiguous; ++loop) {
    if (iterators[loop] != utils::IteratorType::parallel)
      break;
    rows.push_back(extents[loop]);
  }
  // Results are stored row by row only if they are indexed by the rows.
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isRowMap(op.getMatchingIndexingMap(&init), rows.size()))
      rows.clear();
  if (!rows.empty())
    return {KernelKind::Rows, rows};
  // Initial values of results are copied by columns of their own last
  // dimension.
  bool alike = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return contiguous >= 0 && map.getNumResults() > 0 &&
           map.getResults().back() ==
               getAffineDimExpr(contiguous, op.getContext());
  });
  if (alike && iterators[contiguous] == utils::IteratorType::parallel &&
      extents[contiguous] >= kLeastColumns)
    return {KernelKind::Columns, {extents[contiguous]}};
  return {KernelKind::Serial, {}};
}

/// Whether `op` can run inside rows `space`: its first loops are those rows,
/// and the rest is either its own inner work or nothing at all.
bool fitsRows(linalg::LinalgOp op, LoopRange space) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto iterators = op.getIteratorTypesArray();
  if (extents.size() < space.size() ||
      LoopRange(extents).take_front(space.size()) != space)
    return false;
  for (size_t i = 0; i < space.size(); ++i)
    if (iterators[i] != utils::IteratorType::parallel)
      return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!isRowMap(op.getMatchingIndexingMap(&init), space.size()))
      return false;
  return extents.size() == space.size() ||
         shapeOf(op).space == SmallVector<int64_t>(space);
}

class ClusterBuilder {
public:
  SmallVector<Cluster> run(func::FuncOp step) {
    for (Operation &op : step.getBody().front()) {
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (!isa<linalg::FillOp>(op) || needsKernel(&op))
          place(linalgOp);
      } else if (auto own = dyn_cast<nn::OwnKernelOpInterface>(op)) {
        start(own.getKernelKind(), own.getKernelSpace(),
              own.writesIntoInserts() ? withInserts(&op)
                                      : SmallVector<Operation *>{&op});
      } else if (isa<tensor::InsertSliceOp>(op)) {
        placeInsert(&op);
      } else if (!isAuxiliary(&op)) {
        closeProducers(&op, -1);
      }
    }
    return std::move(clusters);
  }

private:
  SmallVector<Cluster> clusters;
  DenseMap<Operation *, int> clusterOf;

  int clusterDefining(Value value) {
    bool sawSlice;
    Operation *def = skipViews(value, sawSlice).getDefiningOp();
    auto found = clusterOf.find(def);
    return def && found != clusterOf.end() ? found->second : -1;
  }

  /// Calls `visit` for the clusters that `op` reads, with true if the body of
  /// `op` reads it, as it reads the table of an embedding.
  void visitProducers(Operation *op,
                      llvm::function_ref<void(int, bool)> visit) {
    op->walk([&](Operation *reader) {
      for (Value operand : reader->getOperands())
        if (operand.getParentBlock() == op->getBlock())
          if (int producer = clusterDefining(operand); producer >= 0)
            visit(producer, reader != op);
    });
  }

  /// Closes the clusters that `op` reads from outside: all but `own`.
  void closeProducers(Operation *op, int own) {
    visitProducers(op, [&](int producer, bool) {
      if (producer != own)
        clusters[producer].closed = true;
    });
  }

  void start(KernelKind kind, ArrayRef<int64_t> space,
             ArrayRef<Operation *> members) {
    int id = clusters.size();
    clusters.push_back(
        {kind, SmallVector<int64_t>(space), SmallVector<Operation *>(members)});
    for (Operation *member : members) {
      clusterOf[member] = id;
      closeProducers(member, id);
    }
  }

  void place(linalg::LinalgOp op) {
    Shape shape = shapeOf(op);
    SmallVector<int> candidates, producers, captured;
    visitProducers(op, [&](int producer, bool byBody) {
      producers.push_back(producer);
      if (byBody)
        captured.push_back(producer);
    });
    for (Value operand : op->getOperands()) {
      if (int producer = clusterDefining(operand); producer >= 0)
        candidates.push_back(producer);
      // Readers of the same value: two column sums of one tensor, say.
      if (Operation *def = operand.getDefiningOp(); def && isAuxiliary(def))
        continue;
      for (Operation *user : operand.getUsers())
        if (auto found = clusterOf.find(user); found != clusterOf.end())
          candidates.push_back(found->second);
    }
    llvm::sort(candidates, std::greater<>());
    candidates.erase(llvm::unique(candidates), candidates.end());
    for (int id : candidates)
      // A body may read any row of what it captures, not only its own.
      if (!llvm::is_contained(captured, id) && canJoin(op, shape, id)) {
        clusters[id].members.push_back(op);
        clusterOf[op] = id;
        for (int producer : producers)
          clusters[producer].closed |= producer != id;
        return;
      }
    start(shape.kind, shape.space, {op.getOperation()});
  }

  bool canJoin(linalg::LinalgOp op, const Shape &shape, int id) {
    Cluster &cluster = clusters[id];
    if (cluster.closed || cluster.kind == KernelKind::Attention ||
        cluster.kind == KernelKind::Scatter || isOfInserts(cluster))
      return false;
    if (cluster.kind == KernelKind::Rows) {
      if (!fitsRows(op, cluster.space))
        return false;
    } else if (shape.kind != cluster.kind || shape.space != cluster.space) {
      return false;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      if (clusterDefining(operand.get()) != id)
        continue;
      // A member's row must be read as that row, not through a view.
      auto found = clusterOf.find(producer);
      if (found == clusterOf.end() || found->second != id)
        return false;
      if (cluster.kind == KernelKind::Rows &&
          !isRowMap(op.getMatchingIndexingMap(&operand), cluster.space.size()))
        return false;
      // A column of one sum is no column of another's operand.
      if (cluster.kind == KernelKind::Columns)
        return false;
    }
    return cluster.kind != KernelKind::Rows ||
           temporaryBytes(cluster) <= kMaxRowTemporaryBytes;
  }

  /// An upper bound: as if every result of the cluster were a temporary row,
  /// except for those that another operation starts from and overwrites.
  int64_t temporaryBytes(const Cluster &cluster) {
    int64_t rows = 1, bytes = 0;
    for (int64_t extent : cluster.space)
      rows *= extent;
    for (Operation *member : cluster.members)
      for (Value result : member->getResults())
        if (!isOverwritten(result))
          bytes += cast<RankedTensorType>(result.getType()).getNumElements() /
                   rows *
                   llvm::divideCeil(getElementTypeOrSelf(result.getType())
                                        .getIntOrFloatBitWidth(),
                                    8);
    return bytes;
  }

  static bool isOverwritten(Value value) {
    return llvm::any_of(value.getUses(), [](OpOperand &use) {
      auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
      return op && op.isDpsInit(&use);
    });
  }

  /// A fill needs a kernel if something other than a kernel reads it.
  bool needsKernel(Operation *fill) {
    return llvm::any_of(fill->getUsers(), [](Operation *user) {
      return nn::isPlanMatmul(user) ||
             isa<SplitOp, func::ReturnOp, tensor::CollapseShapeOp,
                 tensor::ExpandShapeOp>(user);
    });
  }

  /// The leading dimensions that `insert` fills, up to the last one: what a
  /// kernel of rows may be cut along.
  static SmallVector<int64_t> rowsOf(tensor::InsertSliceOp insert) {
    SmallVector<int64_t> rows;
    ArrayRef<int64_t> shape = insert.getType().getShape();
    bool sawView;
    const bool readsFill =
        skipViews(insert.getSource(), sawView).getDefiningOp<linalg::FillOp>();
    if (readsFill ||
        insert.getSourceType().getRank() != insert.getType().getRank())
      return rows;
    for (auto [offset, size, stride, extent] : llvm::drop_end(
             llvm::zip_equal(insert.getStaticOffsets(), insert.getStaticSizes(),
                             insert.getStaticStrides(), shape))) {
      if (offset != 0 || stride != 1 || size != extent)
        break;
      rows.push_back(extent);
    }
    return rows;
  }

  /// Makes inserts that chain into one tensor one kernel.
  void placeInsert(Operation *op) {
    if (clusterOf.count(op))
      return;
    auto insert = cast<tensor::InsertSliceOp>(op);
    SmallVector<int64_t> rows = rowsOf(insert);
    if (auto previous =
            insert.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
      auto found = clusterOf.find(previous);
      if (found != clusterOf.end() && previous->hasOneUse() &&
          !clusters[found->second].closed &&
          isOfInserts(clusters[found->second])) {
        const int id = found->second; // the map may grow
        Cluster &cluster = clusters[id];
        cluster.members.push_back(op);
        cutInto(cluster, ArrayRef(cluster.space).take_front(rows.size()));
        clusterOf[op] = id;
        closeProducers(op, id);
        return;
      }
    }
    start(KernelKind::Serial, {}, {op});
    if (isa_and_present<tensor::EmptyOp, linalg::FillOp>(
            insert.getDest().getDefiningOp()))
      cutInto(clusters.back(), rows);
  }

  static void cutInto(Cluster &cluster, ArrayRef<int64_t> rows) {
    cluster.kind = rows.empty() ? KernelKind::Serial : KernelKind::Rows;
    cluster.space = SmallVector<int64_t>(rows);
  }
  static bool isOfInserts(const Cluster &cluster) {
    return isa<tensor::InsertSliceOp>(cluster.members.front());
  }

  /// `op` and the inserts of its results, as of dq, dk and dv into a packed
  /// gradient, which it writes straight, if that is their only use.
  SmallVector<Operation *> withInserts(Operation *op) {
    SmallVector<Operation *> members = {op}, inserts;
    for (Value result : op->getResults()) {
      if (result.use_empty()) // the room of a library
        continue;
      Value value = result;
      while (value.hasOneUse() &&
             isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
                 *value.user_begin())) {
        members.push_back(*value.user_begin());
        value = members.back()->getResult(0);
      }
      if (!value.hasOneUse())
        return {op};
      auto insert = dyn_cast<tensor::InsertSliceOp>(*value.user_begin());
      if (!insert || insert.getSource() != value)
        return {op};
      inserts.push_back(insert);
    }
    if (inserts.empty())
      return {op};
    llvm::sort(inserts, [](Operation *x, Operation *y) {
      return x->isBeforeInBlock(y);
    });
    for (size_t i = 0; i < inserts.size(); ++i) {
      Operation *dest =
          cast<tensor::InsertSliceOp>(inserts[i]).getDest().getDefiningOp();
      bool chained = i == 0 ? isa_and_nonnull<tensor::EmptyOp>(dest)
                            : dest == inserts[i - 1] && dest->hasOneUse();
      if (!chained)
        return {op};
    }
    llvm::append_range(members, inserts);
    llvm::sort(members, [](Operation *x, Operation *y) {
      return x->isBeforeInBlock(y);
    });
    return members;
  }
};

} // namespace

bool zero::isAuxiliary(Operation *op) {
  return isView(op) ||
         isa<arith::ConstantOp, tensor::EmptyOp, linalg::FillOp>(op);
}

bool zero::isView(Operation *op) {
  return isa_and_present<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp>(op);
}

Value zero::skipViews(Value value, bool &sawSlice) {
  sawSlice = false;
  for (Operation *def; isView(def = value.getDefiningOp());
       value = def->getOperand(0))
    sawSlice |= isa<tensor::ExtractSliceOp>(def);
  return value;
}

SmallVector<Cluster> zero::formClusters(func::FuncOp step) {
  return ClusterBuilder().run(step);
}
