//===- Reader.cpp - Verifies and loads a checkpoint -----------------------===//
#include "train/state/checkpoint/Reader.h"

#include "runtime/hash/ContentHash.h"
#include "runtime/packing/Pack.h"
#include "runtime/packing/Unpack.h"
#include "runtime/plan/Vocabulary.h"
#include "runtime/text/Bytes.h"
#include "runtime/text/Error.h"
#include "train/state/checkpoint/Folder.h"
#include "train/state/checkpoint/RankFile.h"
#include "train/state/io/AdapterFolder.h"
#include "train/state/io/Json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace zrt;
namespace fs = std::filesystem;

namespace {

/// Far more than any of our manifests has.
constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 32;

/// Compares the first characters with those of manifestText().
bool isOurs(const std::string &manifest) {
  constexpr std::string_view kBeginning = "{\"format\":\"zeroc checkpoint\"";
  std::string text(kBeginning.size(), '\0');
  std::ifstream(manifest).read(text.data(), std::streamsize(text.size()));
  return text == kBeginning;
}

/// Returns true if elements of type `from` can be converted to `to`.
bool canBecome(zrt_dtype from, zrt_dtype to) {
  const auto isAlone = [](zrt_dtype dtype) {
    return dtype == ZRT_F64 || dtype == ZRT_I8;
  };
  return from == to || (!isAlone(from) && !isAlone(to));
}

/// Returns true if the conversion rounds values.
bool isRounded(zrt_dtype from, zrt_dtype to) {
  return from != to && dtypeBytes(to) == 2;
}

} // namespace

const ParameterRecord *CheckpointReader::findAdapter() const {
  for (const ParameterRecord &parameter : stated.parameters)
    if (isOfAdapter(parameter.name))
      return &parameter;
  return nullptr;
}

void CheckpointReader::readNumbers(const ParameterRecord &parameter,
                                   uint64_t first,
                                   std::vector<float> &out) const {
  const uint32_t packing = parameter.packing;
  if (packing == ZRT_UNPACKED)
    return read(kTrainedSlot, parameter.name, first, out);
  std::vector<std::byte> packed(zrt_packed_bytes(packing, out.size()));
  read(kTrainedSlot, parameter.name, zrt_packed_bytes(packing, first), packed);
  unpack(packing, packed.data(), out.size(), 0,
         (out.size() + kPackedBlock - 1) / kPackedBlock, ZRT_F32, out.data());
}

CheckpointReader::CheckpointReader(const std::string &path) : folder(path) {
  const std::string name = folder + "/" + std::string(kManifestName);
  const std::string text = readText(name, kMaxManifestBytes, "a manifest");
  manifestHash = contentHash(text.data(), text.size());
  try {
    stated = parseManifest(text);
  } catch (const Error &error) {
    fail("{}: {}", name, error.what());
  }
  for (const FileRecord &file : stated.files)
    openFile(file);
  for (const TensorRecord &tensor : stated.tensors) {
    const SafetensorsFile &file = *files[tensor.file];
    const std::string name =
        rangeName(tensor.slot, tensor.parameter, tensor.first, tensor.count);
    const TensorEntry *entry = file.find(name);
    if (!entry || entry->dtype != elementName(tensor.dtype) ||
        entry->elements != tensor.count)
      fail("{}: it does not have {} of {} as the manifest says", file.path(),
           shown(name), elementName(tensor.dtype));
    bySlot[{tensor.slot, tensor.parameter}].push_back(&tensor);
  }
  for (auto &[name, pieces] : bySlot)
    std::ranges::sort(pieces, {}, &TensorRecord::first);
}

std::string CheckpointReader::filePath(const FileRecord &file) const {
  return folder + "/" + file.name;
}

void CheckpointReader::openFile(const FileRecord &file) {
  const std::string path = filePath(file);
  {
    const InputFile bytes(path);
    if (bytes.size() != file.bytes)
      fail("{}: it has {}, and had {} when it was written; the file is "
           "{}",
           path, shownBytes(bytes.size()), shownBytes(file.bytes),
           bytes.size() < file.bytes ? "cut short" : "another");
    std::vector<std::byte> header(file.headerBytes);
    bytes.read(0, header.data(), header.size());
    if (contentHash(header.data(), header.size()) != file.headerHash)
      fail("{}: its header, bytes 0 to {}, is not what was written; the file "
           "is damaged",
           path, file.headerBytes);
  }
  files.push_back(std::make_unique<const SafetensorsFile>(path));
}

const CheckpointReader::Pieces &
CheckpointReader::piecesOf(const std::string &slot,
                           const std::string &parameter) const {
  static const Pieces none;
  const auto found = bySlot.find({slot, parameter});
  return found == bySlot.end() ? none : found->second;
}

//===----------------------------------------------------------------------===//
// Comparing with a plan
//===----------------------------------------------------------------------===//

void CheckpointReader::checkFits(const State &state) const {
  const std::vector<Parameter> &wanted = state.slots.front().parameters;
  std::map<std::string_view, const ParameterRecord *> known;
  for (const ParameterRecord &parameter : stated.parameters)
    known[parameter.name] = &parameter;
  for (const Parameter &parameter : wanted) {
    const auto found = known.find(parameter.name);
    if (found == known.end())
      fail("{}: it has no parameter {}; it is of another model", folder,
           shown(parameter.name));
    if (found->second->shape != parameter.shape)
      fail("{}: parameter {} is {}, but the model's is {}; it is of another "
           "model",
           folder, shown(parameter.name), shapeText(found->second->shape),
           shapeText(parameter.shape));
    if (found->second->frozen != parameter.frozen)
      fail("{}: parameter {} is {} there, and {} in this plan; compile the "
           "model with the --lora of the checkpoint",
           folder, shown(parameter.name),
           found->second->frozen ? "frozen" : "trained",
           parameter.frozen ? "frozen" : "trained");
    if (found->second->packing != parameter.packing)
      fail("{}: parameter {} is packed as {} there, and as {} in this plan; "
           "compile the model with the --base-storage of the checkpoint",
           folder, shown(parameter.name), packingName(found->second->packing),
           packingName(parameter.packing));
  }
  if (wanted.size() != stated.parameters.size())
    for (const ParameterRecord &parameter : stated.parameters)
      if (std::ranges::count(wanted, parameter.name, &Parameter::name) == 0)
        fail("{}: the model has no parameter {}, which it holds; it is of "
             "another model",
             folder, shown(parameter.name));
  for (const Slot &slot : state.slots)
    for (const Parameter &parameter : slot.parameters) {
      const std::set<zrt_dtype> types = typesOf(slot.name, parameter.name);
      if (types.empty() && parameter.elements > 0) {
        std::set<std::string> slots;
        for (const TensorRecord &tensor : stated.tensors)
          slots.insert(tensor.slot);
        fail("{}: it has no \"{}\" of parameter {}, which this optimizer "
             "keeps; it has {}; compile the model with its optimizer",
             folder, slot.name, shown(parameter.name),
             shown(fmt::format("{}", fmt::join(slots, ", "))));
      }
      for (const zrt_dtype type : types)
        if (!canBecome(type, parameter.dtype))
          fail("{}: {} of parameter {} is {}, which cannot become {}", folder,
               slot.name, shown(parameter.name), dtypeName(type),
               dtypeName(parameter.dtype));
    }
}

std::vector<std::string> CheckpointReader::notes(const State &state) const {
  std::vector<std::string> notes;
  std::set<std::string> unused;
  for (const TensorRecord &tensor : stated.tensors)
    unused.insert(tensor.slot);
  for (const Slot &slot : state.slots) {
    unused.erase(slot.name);
    std::set<std::pair<zrt_dtype, zrt_dtype>> changes;
    for (const Parameter &parameter : slot.parameters)
      for (const TensorRecord *piece : piecesOf(slot.name, parameter.name))
        if (const zrt_dtype type = piece->dtype; type != parameter.dtype)
          changes.insert({type, parameter.dtype});
    for (const auto &[from, to] : changes)
      notes.push_back(fmt::format("\"{}\" of the checkpoint is {}, {} to {}",
                                  slot.name, dtypeName(from),
                                  isRounded(from, to) ? "rounded" : "widened",
                                  dtypeName(to)));
  }
  if (!stated.run.pending)
    unused.erase(std::string(kGradientSlot));
  for (const std::string &slot : unused)
    notes.push_back(fmt::format("\"{}\" of the checkpoint is not used: this "
                                "optimizer does not keep it",
                                shown(slot)));
  return notes;
}

//===----------------------------------------------------------------------===//
// Verifying
//===----------------------------------------------------------------------===//

void CheckpointReader::verifyBlock(size_t number, uint64_t block) const {
  const FileRecord &record = stated.files[number];
  std::string problem = "are not what was written";
  try {
    if (hashOfBlock(filePath(record), record, block) == record.blocks[block])
      return;
  } catch (const Error &error) {
    problem = fmt::format("cannot be read: {}", error.what());
  }
  const auto [begin, end] = rangeOfBlock(record, block);
  std::string names;
  size_t count = 0;
  for (const TensorEntry &tensor : files[number]->tensors()) {
    if (tensor.offset >= end || tensor.offset + tensor.bytes <= begin)
      continue;
    if (++count <= 3)
      names += (count > 1 ? ", " : "") + shown(tensor.name);
  }
  if (count > 3)
    names += fmt::format(" and {} more", count - 3);
  fail("{}: bytes {} to {}, of {}, {}; the checkpoint is damaged",
       files[number]->path(), withCommas(begin), withCommas(end), names,
       problem);
}

void CheckpointReader::verify(int rank, int ranks, int threads) const {
  forEachBlock(
      stated.files, {rank, ranks, threads},
      [this](size_t file, uint64_t block) { verifyBlock(file, block); });
}

//===----------------------------------------------------------------------===//
// The base
//===----------------------------------------------------------------------===//

void CheckpointReader::failOtherBase(const std::string &what) const {
  const std::string was = stated.base ? stated.base->path : "",
                    &now = base->path();
  fail("{}: {}: {}; name the files that it was with --base=DIR", folder,
       now == was
           ? fmt::format("its base {} was changed after the run read it", now)
           : fmt::format("the run trained on the base {}, and {} is another",
                         shown(was), now),
       what);
}

void CheckpointReader::openBase(const std::string &moved) {
  if (!stated.base) {
    if (!moved.empty())
      fail(
          "{}: it holds all parameters, and has no base that {} could be; drop "
          "--base={}",
          folder, moved, moved);
    return;
  }
  const std::string &was = stated.base->path;
  try {
    base = std::make_unique<const Base>(moved.empty() ? was : moved);
  } catch (const Error &error) {
    fail("{}: its frozen parameters are those of the base {}: {}; name the "
         "folder where it is now with --base=DIR",
         folder, shown(was), error.what());
  }
  try {
    base->checkSizes(*stated.base);
    for (const ParameterRecord &parameter : stated.parameters) {
      if (parameter.tensor.empty())
        continue;
      const WeightFiles::Tensor *found = base->files().find(parameter.tensor);
      if (!found || found->entry->shape != parameter.shape)
        fail("it has no tensor {} of shape {}", shown(parameter.tensor),
             shapeText(parameter.shape));
    }
  } catch (const Error &error) {
    failOtherBase(error.what());
  }
}

void CheckpointReader::verifyBase(const BlockShare &share) const {
  if (!base || !stated.base)
    return;
  try {
    base->checkBlocks(*stated.base, share);
  } catch (const Error &error) {
    failOtherBase(error.what());
  }
}

const ParameterRecord *
CheckpointReader::findInBase(std::string_view slot,
                             const std::string &parameter) const {
  if (!stated.base || slot != kTrainedSlot)
    return nullptr;
  const auto found = std::ranges::lower_bound(stated.parameters, parameter, {},
                                              &ParameterRecord::name);
  return found != stated.parameters.end() && found->name == parameter &&
                 !found->tensor.empty()
             ? &*found
             : nullptr;
}

Parameter CheckpointReader::asStored(const ParameterRecord &record) {
  Parameter stored;
  stored.name = record.name;
  stored.shape = record.shape;
  stored.dtype = record.dtype;
  stored.packing = record.packing;
  return stored;
}

template <typename T>
void CheckpointReader::readBase(const ParameterRecord &parameter,
                                uint64_t first, std::vector<T> &out) const {
  const WeightFiles::Tensor *found = base->files().find(parameter.tensor);
  const auto readTo = [&](uint64_t from, uint64_t count, auto *to) {
    found->file->readElements(*found->entry, from, count, to);
  };
  if constexpr (std::is_same_v<T, std::byte>)
    packBytes(asStored(parameter), first, readTo, out);
  else
    readTo(first, out.size(), out.data());
}

template void CheckpointReader::readBase(const ParameterRecord &, uint64_t,
                                         std::vector<float> &) const;
template void CheckpointReader::readBase(const ParameterRecord &, uint64_t,
                                         std::vector<double> &) const;
template void CheckpointReader::readBase(const ParameterRecord &, uint64_t,
                                         std::vector<std::byte> &) const;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

template <typename T>
void CheckpointReader::readElements(const Pieces &pieces, uint64_t first,
                                    std::vector<T> &out) const {
  const uint64_t end = first + out.size();
  for (const TensorRecord *piece : pieces) {
    const uint64_t from = std::max(first, piece->first),
                   until = std::min(end, piece->first + piece->count);
    if (from >= until)
      continue;
    const SafetensorsFile &file = *files[piece->file];
    const TensorEntry &entry = *file.find(
        rangeName(piece->slot, piece->parameter, piece->first, piece->count));
    file.readElements(entry, from - piece->first, until - from,
                      &out[from - first]);
  }
}

template void CheckpointReader::readElements(const Pieces &, uint64_t,
                                             std::vector<float> &) const;
template void CheckpointReader::readElements(const Pieces &, uint64_t,
                                             std::vector<double> &) const;
template void CheckpointReader::readElements(const Pieces &, uint64_t,
                                             std::vector<std::byte> &) const;

std::set<zrt_dtype>
CheckpointReader::typesOf(const std::string &slot,
                          const std::string &parameter) const {
  std::set<zrt_dtype> types;
  if (const ParameterRecord *inBase = findInBase(slot, parameter))
    types.insert(inBase->dtype);
  for (const TensorRecord *piece : piecesOf(slot, parameter))
    types.insert(piece->dtype);
  return types;
}

zrt_dtype CheckpointReader::typeOf(const std::string &parameter) const {
  const std::set<zrt_dtype> types =
      typesOf(std::string(kTrainedSlot), parameter);
  return types.empty() ? zrt_dtype(ZRT_F32) : *types.begin();
}

void CheckpointReader::loadSlot(const std::string &slot,
                                const std::vector<Parameter> &parameters,
                                const ParameterMemory &memory) const {
  for (const Parameter &parameter : parameters) {
    // In the type of the plan: what the run kept may have been rounded.
    const ParameterRecord *inBase = findInBase(slot, parameter.name);
    fillPieces(parameter, memory, [&](uint64_t first, auto &values) {
      readEither(inBase, slot, parameter.name, first, values);
    });
  }
}

void CheckpointReader::load(const State &state,
                            const ParameterMemory &memory) const {
  for (const Slot &slot : state.slots)
    loadSlot(slot.name, slot.parameters, memory);
  loadSlot(std::string(kTrainedSlot), state.roundings, memory);
}

//===----------------------------------------------------------------------===//
// Finding a checkpoint
//===----------------------------------------------------------------------===//

static bool isIntact(const std::string &path) {
  try {
    CheckpointReader(path).verify(0, 1, 2);
    return true;
  } catch (const Error &) {
    return false;
  }
}

static std::vector<int64_t> stepsOrNone(const std::string &folder) {
  try {
    return checkpointSteps(folder);
  } catch (const Error &) {
    return {};
  }
}

bool zrt::isCheckpoint(const std::string &path) {
  std::error_code error;
  const std::string manifest = path + "/" + std::string(kManifestName);
  if (fs::exists(manifest, error))
    return isOurs(manifest);
  return !stepsOrNone(path).empty();
}

std::string zrt::findCheckpoint(const std::string &path) {
  std::error_code error;
  if (fs::exists(path + "/" + std::string(kManifestName), error))
    return path;
  const std::vector<int64_t> steps = checkpointSteps(path);
  if (steps.empty())
    fail("there is no checkpoint in {}: neither {} nor folders step-N", path,
         kManifestName);
  return checkpointPath(path, steps.back());
}

std::string zrt::findBestCheckpoint(const std::string &path) {
  const std::string newest = findCheckpoint(path);
  if (newest == path)
    fail("--best is for a folder of checkpoints, and {} is one; drop it", path);
  const auto best = CheckpointReader(newest).manifest().run.best;
  std::error_code error;
  if (!best || best->step < 0)
    fail("{} does not say which checkpoint is the best; its run was without "
         "--keep-best",
         newest);
  std::string found = checkpointPath(path, best->step);
  if (!fs::exists(found, error))
    fail("the best evaluation was that at step {}, and there is no {}; its run "
         "was without --keep-best",
         best->step, found);
  return found;
}

std::string zrt::intactBefore(const std::string &path) {
  const fs::path real = fs::path(path).lexically_normal();
  const fs::path folder = real.has_filename()
                              ? real.parent_path()
                              : real.parent_path().parent_path();
  const std::string parent = folder.empty() ? "." : folder.string();
  const std::string name =
      (real.has_filename() ? real : real.parent_path()).filename().string();
  std::vector<std::string> before;
  for (const int64_t step : stepsOrNone(parent)) {
    before.push_back(checkpointPath(parent, step));
    if (fs::path(before.back()).filename() == name) {
      before.pop_back();
      break;
    }
  }
  const auto found = std::find_if(before.rbegin(), before.rend(), isIntact);
  return found == before.rend() ? "" : *found;
}
