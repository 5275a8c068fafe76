//===- Certificate.h - Memory use and traffic of a plan -------------------===//
//
// Counts the exact bytes of each arena of a rank by category, at the point of
// the step where the most bytes of that arena are alive; they are equal on all
// ranks.  They are known before the first step, and equal to what the binary
// allocates.  Also counts the exact bytes that a rank receives in a step.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "dialect/zero/Zero.h"
#include "mlir/IR/BuiltinOps.h"
#include <array>
#include <optional>
#include <string>

namespace mlir::zero {

struct Certificate {
  /// The uses of one arena.  The categories are bytes at its peak; with
  /// `unused`, the bytes that hold nothing there (alignment and fragmentation),
  /// they add up to `size`.
  struct Arena {
    int64_t size = 0;
    int64_t parameters = 0, masters = 0, gradients = 0, optimizerState = 0,
            communication = 0, activations = 0;
    /// Workspace of products, in addition to what is alive.
    int64_t workspace = 0;
    /// Inputs, scalars and outputs.
    int64_t io = 0;
    /// Keys and values that generation keeps.
    int64_t caches = 0;
    int64_t unused = 0;

    /// Bytes that are alive at the peak, and the operation there.
    int64_t peak = 0;
    std::string peakAt;
    struct Live {
      std::string name;
      int64_t bytes;
    };
    /// The largest temporaries at the peak, at most 5.
    SmallVector<Live> largest;
    /// Gathered copies of buckets at the peak, all of them, the largest first:
    /// "@b2 (h.0.attn.weight and 11 more)".
    SmallVector<Live> gathered;

    /// The categories by name, in the order in which they are printed.
    SmallVector<std::pair<StringRef, int64_t>> getCategories() const;
  };
  std::array<Arena, kNumTiers> arenas;

  /// The arenas in use: the device's, and others that have bytes.  Lines about
  /// the latter start with a prefix: "host ".
  struct ArenaInUse {
    StringRef tier;
    std::string prefix;
    const Arena *arena;
  };
  SmallVector<ArenaInUse> getArenasInUse() const;

  int64_t stage = 0, ranks = 1, microSteps = 1;
  int64_t group = 0;      ///< ranks of a group; 0: there are no groups
  int64_t context = 1;    ///< ranks that share a sequence
  bool isLayered = false; ///< a program has all micro-steps
  /// Parameters of the model, over all ranks.
  int64_t parameterCount = 0;
  /// A part of the model state that a rank keeps: `held` bytes, of which
  /// `whole` bytes are values that every rank has, `sharded / ranks` bytes are
  /// the rank's slice of sharded values, `grouped / group` bytes its part of
  /// values that are sharded over the ranks of a group, and the rest is
  /// padding.
  struct Term {
    std::string name;
    int64_t held = 0, whole = 0, sharded = 0, grouped = 0;
  };
  int64_t getPadding(const Term &term) const {
    return term.held - term.whole - term.sharded / ranks -
           (group ? term.grouped / group : 0);
  }
  /// Parameters, gradients (the most that are alive at once), optimizer state.
  SmallVector<Term> modelState;

  /// Bytes that a rank receives from its peers in one step.
  struct Wire {
    std::string name;
    int64_t calls = 0, bytes = 0;
  };
  SmallVector<Wire> wire;

  /// Bytes that a rank moves between tiers in one step: "h2d", "d2h",
  /// "nvme_read" and "nvme_write", in that order.
  struct Link {
    StringRef name;
    int64_t bytes;
  };
  SmallVector<Link> links;

  /// Floating-point operations of products and attention in a step of a rank:
  /// those of the model, and those that the plan executes, which include
  /// recomputation.
  struct Flops {
    int64_t model = 0, executed = 0;
  };
  Flops flops;

  /// The most device bytes that are alive at once in an evaluation; 0 if the
  /// plan has none.
  int64_t evaluation = 0;
  /// The same for generation.
  int64_t generation = 0;

  /// The most bytes that a rank writes for a checkpoint: of state in memory,
  /// and of state on NVMe.
  struct Checkpoint {
    int64_t inMemory = 0, onNvme = 0;
    /// Host memory for copies of state while it is written; set by the caller.
    int64_t copies = 0;
  };
  /// Of all state, and without frozen parameters: those that a run has read
  /// from files stay there.
  Checkpoint wholeCheckpoint, checkpoint;

  /// What a step is predicted to take; set by the caller.
  struct Time {
    std::string machine;
    double seconds = 0;
    /// Of an operation's time, in the mean, when the machine was measured; 0 if
    /// it was not.
    double error = 0;
    double joules = 0, dollars = 0; ///< of all ranks; 0 if unknown
  };
  std::optional<Time> time;

  /// The memory that libraries and the runtime take outside the arenas, a line
  /// each; set by the caller.
  SmallVector<std::string> outside;

  /// The model and the options of the plan; set by the caller.
  std::string model, options;

  /// The certificate as a table of text.
  std::string print() const;
  /// All numbers as a JSON object, with a newline at the end; docs/plan.md
  /// lists the keys.
  std::string toJson() const;
};

/// 1234567 as "1,234,567".
std::string groupDigits(int64_t number);

/// The certificate of a plan that VerifyPlan accepts.
Certificate certify(ModuleOp module);

} // namespace mlir::zero
