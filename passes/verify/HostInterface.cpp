//===- HostInterface.cpp - Names and types of arguments and outputs -------===//
//
// The host finds arguments and outputs by name.  A program would read garbage
// from an argument that the host does not write, and an output that the host
// does not read is lost.  So (S5):
//
//   * an argument is exactly one of state, input and scalar, and no two have
//     the same name.
//   * state is f32, or 16 bits except for masters, or i8 in a packed bucket:
//     the whole bucket, the rank's slice of it, or the part of a member of the
//     axis' groups; the only state of a frozen bucket is its parameters.
//   * a scalar is an f32, in any tier but NVMe: the host's `lr`, `step`,
//     `loss_scale`, `norm_limit` or `loss_limit`, or the mean of @count's
//     output of the same name; `rounding`, `micro_step` and `context` are an
//     i64 on the device; `clip` is the output `clip` of the previous program,
//     @first or @step.  Only ranks that share sequences have `context`.
//   * an input has the name of no scalar, and has samples of f32, i32 or i64;
//     `dropout` has a number of i64 for each sample.
//   * in a program with all micro-steps, inputs, losses and the outputs of
//     @count and @eval exist once for each micro-step; nothing else belongs to
//     a micro-step.
//   * outputs follow the next states, each with its own name, f32 or f64; those
//     that the host reads are scalars, and must exist (HostOutputs.cpp).
//   * @prefill and @decode have one output, `logits`, f32 [slots, classes],
//     computed from the inputs `begin` and `count` [slots], and `prompt` or
//     `token` [slots, positions]; and caches of these slots, each with its own
//     name.  The host reads from zero.vocab of these inputs how many positions
//     the caches have, how many a run of @prefill reads, and which ids texts
//     have, those of `tokens`; from zero.separator of `document` [slots] which
//     id ends a document (ModelClaims.cpp); and from zero.kept_every of `begin`
//     how far a slot may go back.
//   * a parameter has its own name, unless it is cut by rows: then the members
//     with its name cover each of its rows once.
//
//===----------------------------------------------------------------------===//

#include "passes/verify/Rules.h"

#include "dialect/nn/NN.h"
#include "dialect/nn/Precision.h"
#include "dialect/zero/InputBound.h"
#include "dialect/zero/PlanPrograms.h"
#include "passes/verify/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;
using namespace mlir::zero;
using namespace mlir::zero::judge;

namespace {
class HostInterface {
public:
  explicit HostInterface(ModuleOp module) : module(module) {}

  LogicalResult run() {
    if (failed(judgeParameters()))
      return failure();
    for (auto program : module.getOps<ProgramOp>())
      if (!program.isExternal() &&
          (failed(judgeOutputs(program)) || failed(judgeMicroSteps(program))))
        return failure();
    ProgramOp step = findMainProgram(module);
    if (failed(judgeHostOutputs(module)))
      return failure();
    for (auto program : module.getOps<ProgramOp>())
      if (StringRef name = getProgramName(program);
          !program.isExternal() &&
          ((isDecoding(name) && failed(judgeDecoding(program))) ||
           (name == kScore && failed(judgeScoring(program)))))
        return failure();
    // All programs take the same arguments, but for caches (V6).
    for (BlockArgument argument :
         step.getArguments().take_front(getNumShared(step)))
      if (failed(judgeArgument(step, argument)))
        return failure();
    return success();
  }

private:
  /// Returns true if the host itself provides the scalar `name`.
  static bool isHostScalar(StringRef name) {
    return llvm::is_contained({StringRef("lr"), StringRef("step"),
                               StringRef(kLossScale), StringRef(kNormLimit),
                               StringRef(kLossLimit), StringRef(kRounding),
                               StringRef("micro_step"), StringRef(kContext)},
                              name);
  }

  /// The runtime compares names as C strings.
  static bool isName(StringRef name) {
    return !name.empty() && !name.contains('\0');
  }

  static bool isReadable(ProgramOp program, unsigned result, StringAttr name) {
    auto type = dyn_cast<RankedTensorType>(program.getResultTypes()[result]);
    if (!type ||
        !(type.getElementType().isF32() || type.getElementType().isF64()))
      return false;
    const StringRef own = getProgramName(program);
    bool isRead = own == "count" || own == "eval" || name == "loss" ||
                  name == "grad_norm" || name == kClipFactor;
    return !isRead || type.getRank() == 0;
  }

  LogicalResult judgeOutputs(ProgramOp program) {
    unsigned states =
        findNextStates(program).size() + findNextCaches(program).size();
    llvm::StringSet<> &names = outputs[getProgramName(program)], keys;
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i) {
      auto name = program.getOutput(i);
      if (i < states && name) // (S5)
        return program.emitOpError("calls next state ")
               << i << " the output " << name << " (S5)";
      if (i < states)
        continue;
      if (!name || !isName(name)) // (S5)
        return program.emitOpError("has output ")
               << i - states << " without a name, or with a NUL in it (S5)";
      if (!isReadable(program, i, name)) // (S5)
        return program.emitOpError("has output ")
               << name << " of " << program.getResultTypes()[i]
               << " (S5); outputs are f32 or f64, and scalars if the host "
                  "reads them";
      if (!keys.insert(getOutputKey(program, i)).second) // (S5)
        return program.emitOpError("has two outputs called ")
               << name << " (S5)";
      names.insert(name);
    }
    return success();
  }

  /// Checks that a program that returns values of samples has one for each row
  /// of its inputs.
  LogicalResult judgeScoring(ProgramOp program) {
    unsigned found = 0;
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i) {
      auto name = program.getOutput(i);
      if (!name)
        continue;
      auto type = dyn_cast<RankedTensorType>(program.getResultTypes()[i]);
      if (name != kValues || !type || type.getRank() == 0 ||
          !type.getElementType().isF32()) // (S5)
        return program.emitOpError("has the output ")
               << name
               << ", and the host reads \"values\", f32 [samples, ...] (S5)";
      for (unsigned j = 0; j != program.getNumArguments(); ++j)
        if (program.getInput(j))
          if (auto input =
                  dyn_cast<RankedTensorType>(program.getArgumentTypes()[j]);
              !input || input.getRank() == 0 ||
              input.getDimSize(0) != type.getDimSize(0)) // (S5)
            return program.emitOpError("has values of ")
                   << type << ", and input " << program.getInput(j) << " of "
                   << program.getArgumentTypes()[j] << " (S5)";
      ++found;
    }
    if (found != 1) // (S5)
      return program.emitOpError("has no output \"values\" (S5)");
    return success();
  }

  /// Checks the inputs, the output and the caches of a program that continues
  /// sequences.
  LogicalResult judgeDecoding(ProgramOp program) {
    auto fails = [&](const Twine &what) {
      return program.emitOpError("has ") << what << " (S5)";
    };
    auto typeOf = [&](StringRef name) {
      std::optional<unsigned> i = findInput(program, name);
      return i ? dyn_cast<RankedTensorType>(program.getArgumentTypes()[*i])
               : RankedTensorType();
    };
    const StringRef ids =
        getProgramName(program) == kPrefill ? kPrompt : kToken;
    RankedTensorType tokens = typeOf(ids), begin = typeOf(kBegin),
                     count = typeOf(kCount);
    if (!tokens || tokens.getRank() != 2 || !begin || begin.getRank() != 1 ||
        begin != count || !tokens.getElementType().isSignlessInteger() ||
        !begin.getElementType().isSignlessInteger(32) ||
        begin.getDimSize(0) != tokens.getDimSize(0)) // (S5)
      return fails("no inputs \"" + ids +
                   "\" of [slots, positions], \"begin\" and \"count\" of "
                   "[slots], integers all");
    unsigned found = 0;
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i) {
      auto name = program.getOutput(i);
      if (!name)
        continue;
      auto type = dyn_cast<RankedTensorType>(program.getResultTypes()[i]);
      if (name != kLogits || !type || type.getRank() != 2 ||
          !type.getElementType().isF32() ||
          type.getDimSize(0) != tokens.getDimSize(0)) // (S5)
        return fails("the output \"" + name.getValue() +
                     "\", and the host reads \"logits\", f32 [slots, "
                     "classes]");
      ++found;
    }
    if (found != 1) // (S5)
      return fails("no output \"logits\"");
    llvm::StringSet<> caches;
    for (auto &[argument, name, next] : findNextCaches(program)) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!isName(name) || !caches.insert(name).second) // (S5)
        return fails("two caches called \"" + name.getValue() +
                     "\", or one without a name");
      if (!type || type.getRank() == 0 ||
          type.getDimSize(0) != tokens.getDimSize(0)) // (S5)
        return fails("a cache \"" + name.getValue() +
                     "\" that is not of its slots");
    }
    return judgeDecodingBounds(program);
  }

  static std::optional<unsigned> findInput(ProgramOp program, StringRef name) {
    for (unsigned i = 0, e = program.getNumArguments(); i != e; ++i)
      if (auto input = program.getInput(i); input && input == name)
        return i;
    return std::nullopt;
  }

  /// Checks what the host reads from attributes of the inputs of a program that
  /// continues sequences.
  LogicalResult judgeDecodingBounds(ProgramOp program) {
    auto boundOf = [&](StringRef name) {
      std::optional<unsigned> i = findInput(program, name);
      return i ? std::optional(getInputBound(program, *i)) : std::nullopt;
    };
    auto expect = [&](StringRef name, InputBound expected,
                      const Twine &because) -> LogicalResult {
      InputBound found = boundOf(name).value_or(expected);
      if (found.vocab == expected.vocab && found.ignored == expected.ignored)
        return success();
      return program.emitOpError("has zero.vocab = ") // (S5)
             << found.vocab << " and zero.ignored = " << found.ignored
             << " of the input \"" << name << "\", and the host needs "
             << expected.vocab << " and " << expected.ignored
             << " (S5): " << because;
    };
    auto typeOf = [&](std::optional<unsigned> i) {
      return i ? dyn_cast<RankedTensorType>(program.getArgumentTypes()[*i])
               : RankedTensorType();
    };
    std::optional<unsigned> document = findInput(program, kDocument);
    RankedTensorType chunk = typeOf(findInput(program, kPrompt)),
                     text = typeOf(findInput(program, "tokens")),
                     starts = typeOf(document);
    if (!chunk || chunk.getRank() != 2 || !findInput(program, kToken)) // (S5)
      return program.emitOpError("has no inputs \"prompt\" of [slots, "
                                 "positions] and \"token\" (S5)");
    // The positions of a sequence.
    InputBound positions = {boundOf(kBegin)->vocab, 0};
    if (text && text.getRank() == 2)
      positions.vocab = text.getDimSize(1);
    if (failed(judgeKept(program, positions.vocab)))
      return failure();
    if (positions.vocab < 1) // (S5)
      return program.emitOpError(
          "has no zero.vocab of the input \"begin\" (S5); it is the positions "
          "of a sequence");
    if (failed(expect(kBegin, positions, "a position")) ||
        failed(expect(kDocument, positions, "a position")) ||
        failed(expect(kCount, {chunk.getDimSize(1) + 1, 0},
                      "up to all positions of \"prompt\"")))
      return failure();
    InputBound ids = boundOf("tokens").value_or(*boundOf(kPrompt));
    for (StringRef name : {kPrompt, kToken})
      if (failed(expect(name, ids, "texts have the ids of \"tokens\"")))
        return failure();
    if (document && (!starts || starts.getRank() != 1 ||
                     starts.getDimSize(0) != chunk.getDimSize(0) ||
                     !starts.getElementType().isSignlessInteger(32) ||
                     !program.getArgAttr(*document, kSeparatorAttr))) // (S5)
      return program.emitOpError("has the input \"document\" as ")
             << program.getArgumentTypes()[*document]
             << " (S5); it is i32 [slots], with a zero.separator";
    return success();
  }

  /// Whether attention puts keys or values into a cache.
  bool isOfAttention(BlockArgument cache) {
    for (OpOperand &use : cache.getUses()) {
      auto launch = dyn_cast<LaunchOp>(use.getOwner());
      auto kernel = launch ? module.lookupSymbol<KernelOp>(launch.getKernel())
                           : KernelOp();
      if (kernel && !kernel.isExternal() &&
          llvm::any_of(
              kernel.front().getArgument(use.getOperandNumber()).getUsers(),
              llvm::IsaPred<nn::CachedAttentionOp>))
        return true;
    }
    return false;
  }

  /// Checks that caches have all positions of a slot, [slots, heads, positions,
  /// width], or that the host is told how far a slot may go back.
  LogicalResult judgeKept(ProgramOp program, int64_t positions) {
    std::optional<unsigned> begin = findInput(program, kBegin);
    auto every = program.getArgAttrOfType<IntegerAttr>(*begin, kKeptEveryAttr);
    bool haveStates = false;
    for (const NextCache &cache : findNextCaches(program)) {
      auto kept = cast<RankedTensorType>(cache.argument.getType());
      if (kept.getRank() == 4 && kept.getDimSize(2) == positions)
        continue;
      if (!every || isOfAttention(cache.argument)) // (S5)
        return program.emitOpError("has the cache ")
               << cache.name << " of " << kept << ", and the host keeps "
               << positions
               << " positions of each slot there (S5), zero.vocab of the input "
                  "\"begin\"";
      haveStates = true;
    }
    if (!every || (haveStates && every.getInt() == nn::getDeltaChunk()))
      return success();
    InFlightDiagnostic error = program.emitOpError("has ") // (S5)
                               << kKeptEveryAttr << " = " << every.getInt()
                               << " of the input \"begin\", and ";
    if (haveStates)
      return error << "states are kept every " << nn::getDeltaChunk()
                   << " positions (S5)";
    return error << "keeps no state (S5)";
  }

  /// Checks that values of micro-steps exist once for each micro-step.
  LogicalResult judgeMicroSteps(ProgramOp program) {
    int64_t steps = getMicroSteps(module);
    bool layered = isLayered(module);
    llvm::MapVector<StringAttr, std::set<int64_t>> found;
    auto collect = [&](StringAttr name, Attribute micro,
                       bool isOfEach) -> LogicalResult {
      auto number = dyn_cast_or_null<IntegerAttr>(micro);
      bool isOne =
          number && number.getInt() >= 0 && layered && number.getInt() < steps;
      if (isOne != (isOfEach && layered) || (micro && !isOne)) // (S5)
        return program.emitOpError("has ")
               << (name ? name.getValue() : "a state") << " of "
               << (micro ? "micro-step " : "no micro-step")
               << (number ? std::to_string(number.getInt()) : "")
               << " (S5); where a program has all micro-steps, inputs, losses "
                  "and counts are of one each, and nothing else is";
      if (isOne && !found[name].insert(number.getInt()).second) // (S5)
        return program.emitOpError("has two ")
               << name << " of micro-step " << number.getInt() << " (S5)";
      return success();
    };
    auto judgeAll = [&]() -> LogicalResult {
      for (auto &[name, numbers] : found)
        if (int64_t(numbers.size()) != steps) // (S5)
          return program.emitOpError("has ")
                 << name << " of " << numbers.size() << " micro-steps, of "
                 << steps << " (S5)";
      found.clear();
      return success();
    };
    for (unsigned i = 0, e = program.getNumArguments(); i != e; ++i)
      if (auto input = program.getInput(i);
          failed(collect(input ? input : program.getScalar(i),
                         program.getArgAttr(i, kMicroAttr), input != nullptr)))
        return failure();
    if (failed(judgeAll()))
      return failure();
    for (unsigned i = 0, e = program.getNumResults(); i != e; ++i) {
      auto name = program.getOutput(i);
      bool isOfEach =
          name && (name == "loss" || getProgramName(program) == "count" ||
                   getProgramName(program) == "eval");
      if (failed(collect(name, program.getResultAttr(i, kMicroAttr), isOfEach)))
        return failure();
    }
    return judgeAll();
  }

  /// Checks that each whole parameter has its own name.
  LogicalResult judgeParameters() {
    llvm::StringSet<> parameters;
    llvm::MapVector<StringAttr, SmallVector<Piece>> pieces;
    for (auto bucket : module.getOps<BucketOp>())
      for (auto member : bucket.getMembers().getAsRange<MemberAttr>())
        if (!isName(member.getName())) // (S5)
          return bucket.emitOpError("has a parameter without a name, or with a "
                                    "NUL in it (S5)");
        else if (member.isPiece())
          pieces[member.getName()].push_back({member, bucket});
        else if (!parameters.insert(member.getName()).second) // (S5)
          return bucket.emitOpError("has a parameter ")
                 << member.getName()
                 << ", and another bucket has one of that name (S5)";
    for (auto &[name, list] : pieces)
      if (parameters.contains(name)) // (S5)
        return list.front().second.emitOpError("has rows of a parameter ")
               << name << ", and another bucket has all of it (S5)";
      else if (failed(judgePieces(name, list)))
        return failure();
    return success();
  }

  using Piece = std::pair<MemberAttr, BucketOp>;

  /// Checks that the pieces of a parameter cover each of its rows once.
  LogicalResult judgePieces(StringAttr name, SmallVector<Piece> &list) {
    llvm::sort(list, [](const Piece &a, const Piece &b) {
      return a.first.getFirstRow() < b.first.getFirstRow();
    });
    SmallVector<int64_t> shape = list.front().first.getParameterShape();
    int64_t next = 0;
    for (auto &[member, bucket] : list) {
      if (SmallVector<int64_t> other = member.getParameterShape();
          other != shape) // (S5)
        return BucketOp(bucket).emitOpError("has rows of a parameter ")
               << name << " of shape [" << other
               << "], and another bucket of one of shape [" << shape
               << "] (S5)";
      if (member.getFirstRow() != next) // (S5)
        return BucketOp(bucket).emitOpError("has rows of ")
               << name << " from " << member.getFirstRow()
               << " on, where those from " << next
               << " on come next (S5); its pieces are its rows, each once";
      next += member.getShape().front();
    }
    if (next == shape.front())
      return success();
    return list.back().second.emitOpError("has the last rows of ") // (S5)
           << name << ", up to " << next << " of " << shape.front() << " (S5)";
  }

  LogicalResult judgeArgument(ProgramOp step, BlockArgument argument) {
    unsigned i = argument.getArgNumber();
    auto state = step.getArgAttr(i, kStateAttr);
    auto input = step.getInput(i);
    auto scalar = step.getScalar(i);
    if ((state != nullptr) + (input != nullptr) + (scalar != nullptr) != 1 ||
        (state && !isa<StateAttr>(state)) || !isInArena(argument)) // (S5)
      return step.emitOpError("takes ") << describe(argument)
                                        << ", which must be one of zero.state, "
                                           "zero.input and zero.scalar, "
                                           "and lie in the arena (S5)";
    if (state)
      return judgeState(step, argument, cast<StateAttr>(state));
    StringAttr name = input ? input : scalar;
    if (!isName(name)) // (S5)
      return step.emitOpError("takes argument ")
             << i << " without a name, or with a NUL in it (S5)";
    // An input exists once, or once for each micro-step (S5).
    auto micro = step.getArgAttrOfType<IntegerAttr>(i, kMicroAttr);
    bool isAnother = input && micro && micro.getInt() > 0;
    if (!isAnother && !names.insert(name).second) // (S5)
      return step.emitOpError("takes two arguments called ")
             << name << " (S5); the host would write one of them";
    RankedTensorType type =
        scalar ? getHeldTensor(argument.getType())
               : dyn_cast<RankedTensorType>(argument.getType());
    if (!scalar) {
      bool isOutput = llvm::any_of(
          outputs, [&](auto &of) { return of.second.contains(name); });
      if (isOutput || isHostScalar(name) || name == kClipFactor) // (S5)
        return step.emitOpError("takes the input ")
               << name << ", and the host knows a scalar of that name (S5)";
      if (!type || type.getRank() == 0 ||
          !(type.getElementType().isF32() ||
            type.getElementType().isSignlessInteger(32) ||
            type.getElementType().isSignlessInteger(64))) // (S5)
        return step.emitOpError("takes the input ")
               << name << " as " << argument.getType()
               << " (S5); the host has tensors of f32, i32 and i64 whose first "
                  "dimension counts samples";
      if (name == kDropout &&
          (type.getRank() != 1 || !type.getElementType().isInteger(64))) // (S5)
        return step.emitOpError("takes the input ")
               << name << " as " << type
               << " (S5); the host has an i64 for each sequence";
      return success();
    }
    bool isBits = name == kRounding || name == "micro_step" || name == kContext;
    if (!type || type.getRank() != 0 ||
        !(isBits ? type.getElementType().isSignlessInteger(64)
                 : type.getElementType().isF32()) ||
        getTier(argument.getType()) == Tier::Nvme) // (S5)
      return step.emitOpError("takes the scalar ")
             << name << " as " << argument.getType() << " (S5); scalars are "
             << (isBits ? "tensor<f32>, but rounding, micro_step and context "
                          "are tensor<i64>"
                        : "tensor<f32>, stored or not");
    if (name == kContext && getContextSize(module) == 1) // (S5)
      return step.emitOpError("takes the scalar ")
             << name << ", and no ranks share a sequence (S5)";
    bool isPending = name == kClipFactor && isRotated(module);
    if (!isHostScalar(name) &&
        !outputs[isPending ? "step" : "count"].contains(name)) // (S5)
      return step.emitOpError("reads ")
             << name
             << ", which is none of lr, step, loss_scale, norm_limit, "
                "loss_limit, rounding, micro_step and context, and which no "
                "output of @"
             << (isPending ? "step" : "count") << " is called (S5)";
    return success();
  }

  LogicalResult judgeState(ProgramOp step, BlockArgument argument,
                           StateAttr state) {
    if (!isName(state.getSlot())) // (S5)
      return step.emitOpError("keeps ")
             << describe(argument)
             << ", whose slot has no name, or one with a NUL (S5)";
    auto bucket = symbols.lookupSymbolIn<BucketOp>(module, state.getBucket());
    if (bucket.getFrozen() && state.getSlot() != "param") // (S5)
      return step.emitOpError("keeps ")
             << describe(argument)
             << " (S5); the only state of a frozen bucket is \"param\"";
    auto axis = symbols.lookupSymbolIn<AxisOp>(module, bucket.getAxisAttr());
    auto shard = dyn_cast<ShardType>(argument.getType());
    Type element = shard ? shard.getElementType() : Type();
    bool isElement = !element ? false
                     : bucket.getPacking()
                         ? element.isSignlessInteger(8)
                         : element.isF32() || (state.getSlot() != "master" &&
                                               nn::isHalf(element));
    if (axis && isElement &&
        shard.getElements() == int64_t(bucket.getElements()) &&
        isShardOf(shard, axis))
      return success();
    return step.emitOpError("keeps ") // (S5)
           << describe(argument) << " as " << argument.getType()
           << " (S5); state is f32, 16 bits where it is no master, or i8 where "
              "it is packed, and the whole of its bucket, a rank's slice, or "
              "the part of a group's member";
  }

  /// Whether `shard` is a whole, a rank's slice, or the part of a member of a
  /// group.
  static bool isShardOf(ShardType shard, AxisOp axis) {
    const int64_t ranks = axis.getSize(), by = shard.getRanks();
    if (!shard.isPart())
      return by == 1 || by == ranks;
    return axis.getGroup() && by == axis.getGroupSize() &&
           shard.getOf() == ranks;
  }

  ModuleOp module;
  SymbolTableCollection symbols;
  llvm::StringMap<llvm::StringSet<>> outputs; ///< by program
  llvm::StringSet<> names;
};
} // namespace

LogicalResult judge::judgeHostInterface(ModuleOp module) {
  return HostInterface(module).run();
}
