//===- TermTable.cpp - Hash-consed terms of computed values ---------------===//

#include "passes/verify/TermTable.h"

#include "dialect/nn/NN.h"
#include "dialect/zero/Zero.h"
#include "passes/verify/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::zero::judge;

using Term = TermTable::Term;

//===----------------------------------------------------------------------===//
// Construction of terms
//===----------------------------------------------------------------------===//

Term TermTable::intern(Node node, ArrayRef<const void *> head) {
  SmallVector<uintptr_t, 16> key = {
      uintptr_t(node.form), uintptr_t(node.number),
      reinterpret_cast<uintptr_t>(node.type.getAsOpaquePointer())};
  for (const void *part : head)
    key.push_back(reinterpret_cast<uintptr_t>(part));
  llvm::append_range(key, node.operands);
  if (auto found = known.find(ArrayRef<uintptr_t>(key)); found != known.end())
    return found->second;
  Term term = nodes.size();
  node.operands = node.operands.copy(allocator);
  nodes.push_back(node);
  keys.push_back(ArrayRef<uintptr_t>(key).copy(allocator));
  known[keys.back()] = term;
  return term;
}

Term TermTable::leaf(Leaf leaf, StringAttr name, Type type) {
  const void *what = name.getAsOpaquePointer();
  return intern({Form::Leaf, type, what, int64_t(leaf)}, {what});
}

Term TermTable::unknown(Value value) {
  const void *what = value.getAsOpaquePointer();
  return intern({Form::Unknown, value.getType(), what}, {what});
}

Term TermTable::apply(Operation *op, Operation *callee, ArrayRef<Term> operands,
                      unsigned index) {
  // A launch is identified by its callee, other operations by their name and
  // properties.
  Attribute properties = callee ? Attribute() : op->getPropertiesAsAttribute();
  // Its operand is the parameter, whoever dequantizes it.
  if (auto product = dyn_cast<nn::MatmulOp>(op);
      product && product.getPacked()) {
    NamedAttrList others(cast<DictionaryAttr>(properties));
    others.erase(product.getPackedAttrName());
    properties = others.getDictionary(op->getContext());
  }
  return intern(
      {Form::Result, op->getResult(index).getType(), op, index, operands},
      {op->getName().getAsOpaquePointer(), callee,
       properties.getAsOpaquePointer()});
}

Term TermTable::summand(nn::MatmulOp op, ArrayRef<Term> operands) {
  const bool isFirst = operands.size() < op->getNumOperands();
  NamedAttrList properties(
      cast<DictionaryAttr>(op->getPropertiesAsAttribute()));
  properties.erase(op.getScaleAttrName());
  if (isFirst)
    properties.set(op.getOperandSegmentSizesAttrName(),
                   DenseI32ArrayAttr::get(op.getContext(),
                                          {1, 1, op.getBias() ? 1 : 0, 0}));
  return intern(
      {Form::Result, op.getType(), op, 0, operands},
      {op->getName().getAsOpaquePointer(), nullptr,
       properties.getDictionary(op.getContext()).getAsOpaquePointer()});
}

std::optional<ArrayRef<Term>>
TermTable::operandsOf(Term term, Operation *kernel, unsigned index) const {
  const Node &node = nodes[term];
  // The key has three fields, then the head: name, callee, properties.
  constexpr size_t kCallee = 4;
  if (node.form != Form::Result || node.number != int64_t(index) ||
      keys[term][kCallee] != reinterpret_cast<uintptr_t>(kernel))
    return std::nullopt;
  return node.operands;
}

Term TermTable::otherResult(Term of, Operation *kernel, unsigned index,
                            Operation *op, Type type) {
  return intern({Form::Result, type, op, index, nodes[of].operands},
                {op->getName().getAsOpaquePointer(), kernel, nullptr});
}

int64_t TermTable::countRows(Term term) const {
  return cast<RankedTensorType>(nodes[term].type).getDimSize(0);
}

static RankedTensorType withRows(Type type, int64_t rows) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.front() = rows;
  return RankedTensorType::get(shape, tensor.getElementType());
}

Term TermTable::rows(Term whole, int64_t from, int64_t count) {
  if (from == 0 && count == countRows(whole))
    return whole;
  const Node node = nodes[whole];
  if (node.form == Form::Rows)
    return rows(node.operands.front(), node.number + from, count);
  if (node.form == Form::Join) {
    SmallVector<Term> pieces;
    int64_t begin = 0;
    for (Term piece : node.operands) {
      int64_t end = begin + countRows(piece);
      int64_t first = std::max(begin, from), last = std::min(end, from + count);
      if (first < last)
        pieces.push_back(rows(piece, first - begin, last - first));
      begin = end;
    }
    return join(pieces);
  }
  return intern({Form::Rows, withRows(node.type, count), nullptr, from,
                 ArrayRef<Term>(whole)},
                {});
}

Term TermTable::join(ArrayRef<Term> pieces) {
  SmallVector<Term> flat;
  for (Term piece : pieces) {
    if (nodes[piece].form == Form::Join)
      llvm::append_range(flat, nodes[piece].operands);
    else
      flat.push_back(piece);
  }
  SmallVector<Term> merged;
  int64_t count = 0;
  for (Term piece : flat) {
    count += countRows(piece);
    const Node &node = nodes[piece];
    if (!merged.empty() && node.form == Form::Rows) {
      const Node &last = nodes[merged.back()];
      int64_t rowsOfLast = countRows(merged.back());
      if (last.form == Form::Rows && last.operands == node.operands &&
          last.number + rowsOfLast == node.number) {
        merged.back() = rows(last.operands.front(), last.number,
                             rowsOfLast + countRows(piece));
        continue;
      }
    }
    merged.push_back(piece);
  }
  if (merged.size() == 1)
    return merged.front();
  return intern({Form::Join, withRows(nodes[merged.front()].type, count),
                 nullptr, 0, merged},
                {});
}

Term TermTable::mean(Mean over, Term term) {
  return intern({Form::Mean, nodes[term].type, nullptr, int64_t(over),
                 ArrayRef<Term>(term)},
                {});
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

/// The description of `node` without its operands.
std::string TermTable::describeHead(const Node &node) const {
  switch (node.form) {
  case Form::Leaf: {
    constexpr const char *kWords[] = {"parameter", "input", "scalar", "cache",
                                      "value"};
    auto name = cast<StringAttr>(Attribute::getFromOpaquePointer(node.what));
    return (Twine(kWords[node.number]) + " \"" + name.getValue() + "\"").str();
  }
  case Form::Unknown:
    return judge::describe(Value::getFromOpaquePointer(node.what));
  case Form::Result: {
    auto *op = static_cast<Operation *>(const_cast<void *>(node.what));
    return (op->getNumResults() > 1 ? "result " + Twine(node.number) + " of "
                                    : Twine())
               .str() +
           judge::describe(op);
  }
  case Form::Rows:
    return "rows [" + std::to_string(node.number) + ", " +
           std::to_string(node.number +
                          cast<RankedTensorType>(node.type).getDimSize(0)) +
           ")";
  case Form::Join:
    return "a join of " + std::to_string(node.operands.size()) + " pieces";
  case Form::Mean:
    return Mean(node.number) == Mean::Ranks ? "the mean over ranks"
                                            : "the mean over micro-steps";
  }
  llvm_unreachable("all terms have words");
}

std::string TermTable::describe(Term term) const {
  // The first links of a long chain are enough.
  constexpr int kMaxLinks = 4;
  std::string text;
  for (int links = 0; links < kMaxLinks; ++links) {
    const Node &node = nodes[term];
    text += describeHead(node);
    if (node.form != Form::Rows && node.form != Form::Mean)
      return text;
    text += " of ";
    term = node.operands.front();
  }
  return text + "...";
}

/// The properties and the type of `term`, to tell apart terms with the same
/// description.
std::string TermTable::describeDetails(Term term) const {
  constexpr size_t kMaxLetters = 100;
  const Node &node = nodes[term];
  std::string text;
  llvm::raw_string_ostream os(text);
  if (node.form == Form::Result)
    if (auto *op = static_cast<Operation *>(const_cast<void *>(node.what));
        Attribute properties = op->getPropertiesAsAttribute())
      os << ' ' << properties;
  os << " : " << node.type;
  if (text.size() > kMaxLetters)
    text.replace(kMaxLetters, std::string::npos, "...");
  return text;
}

/// Returns true if `a` and `b` differ only in their operands.
bool TermTable::haveOneHead(const Node &a, const Node &b) const {
  if (a.operands.size() != b.operands.size() || a.operands.empty())
    return false;
  auto headOf = [&](const Node &node) {
    return keys[&node - nodes.data()].drop_back(node.operands.size());
  };
  return headOf(a) == headOf(b);
}

std::string TermTable::describeDifference(Term here, Term there,
                                          StringRef whereIsThere) const {
  std::string where;
  while (haveOneHead(nodes[here], nodes[there])) {
    const Node &a = nodes[here], &b = nodes[there];
    size_t i = 0;
    while (a.operands[i] == b.operands[i])
      ++i;
    where = "operand " + std::to_string(i) + " of " + describeHead(a) + " is ";
    here = a.operands[i];
    there = b.operands[i];
  }
  std::string words = describe(here), otherWords = describe(there);
  if (words == otherWords) {
    words += describeDetails(here);
    otherWords += describeDetails(there);
  }
  return where + words + " here and " + otherWords + " " + whereIsThere.str();
}
