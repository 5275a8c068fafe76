//===- MatmulChoices.cpp - Algorithms that were chosen --------------------===//
#include "runtime/device/cuda/MatmulChoices.h"

#include "runtime/text/Error.h"

#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

using namespace zrt;
using namespace zrt::cuda;

namespace {

constexpr size_t kBytes = sizeof(cublasLtMatmulAlgo_t);

std::string toHex(const cublasLtMatmulAlgo_t &algorithm) {
  std::array<unsigned char, kBytes> bytes = {};
  std::memcpy(bytes.data(), &algorithm, kBytes);
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

/// Returns false unless `hex` is two digits for each byte.
bool fromHex(const std::string &hex, cublasLtMatmulAlgo_t &algorithm) {
  std::array<unsigned char, kBytes> bytes = {};
  if (hex.size() != 2 * kBytes)
    return false;
  for (size_t i = 0; i < kBytes; ++i) {
    const char *const begin = hex.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, bytes[i], 16).ptr != begin + 2)
      return false;
  }
  std::memcpy(&algorithm, bytes.data(), kBytes);
  return true;
}

/// Returns the member `name` of `json`; throws unless it has this type.
const nlohmann::json &memberOf(const nlohmann::json &json, const char *name,
                               nlohmann::json::value_t type,
                               const std::string &where) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || found->type() != type)
    fail("{}: it has no \"{}\", or not as {}", where, name,
         nlohmann::json(type).type_name());
  return *found;
}

} // namespace

MatmulChoices::MatmulChoices(const std::string &text, std::string theDevice,
                             std::string theLibrary,
                             std::string theAttentionLibrary)
    : device(std::move(theDevice)), library(std::move(theLibrary)),
      attentionLibrary(std::move(theAttentionLibrary)) {
  if (!text.empty())
    read(text);
}

void MatmulChoices::read(const std::string &text) {
  using Type = nlohmann::json::value_t;
  const std::string whole = "the algorithms of matmuls are damaged";
  const nlohmann::json json = nlohmann::json::parse(text);
  const auto
      ofDevice =
          memberOf(json, "device", Type::string, whole).get<std::string>(),
      ofLibrary =
          memberOf(json, "library", Type::string, whole).get<std::string>();
  if (ofDevice != device || ofLibrary != library)
    fail("the algorithms of matmuls are for {} with {}, and here are {} with "
         "{}",
         shown(ofDevice), shown(ofLibrary), device, library);
  for (const auto &[product, choice] :
       memberOf(json, "products", Type::object, whole).items()) {
    const std::string where = fmt::format("{}, at {}", whole, shown(product));
    Choice &now = products[product];
    now.is = memberOf(choice, "is", Type::string, where).get<std::string>();
    if (!fromHex(memberOf(choice, "data", Type::string, where), now.algorithm))
      fail("{}: \"data\" are not {} bytes in hexadecimal digits", where,
           kBytes);
  }
  if (!json.contains("attentions"))
    return;
  const auto ofAttention =
      memberOf(json, "attention_library", Type::string, whole)
          .get<std::string>();
  if (ofAttention != attentionLibrary && !attentionLibrary.empty())
    fail("the engines of attention are those of {}, and here is {}",
         shown(ofAttention), attentionLibrary);
  for (const auto &[attention, engine] :
       memberOf(json, "attentions", Type::object, whole).items()) {
    if (!engine.is_string())
      fail("{}, at {}: the engine is not a text", whole, shown(attention));
    attentions[attention] = engine.get<std::string>();
  }
}

const std::string *
MatmulChoices::findEngine(const std::string &attention) const {
  const auto found = attentions.find(attention);
  return found == attentions.end() ? nullptr : &found->second;
}

const cublasLtMatmulAlgo_t *
MatmulChoices::find(const std::string &product) const {
  const auto found = products.find(product);
  return found == products.end() ? nullptr : &found->second.algorithm;
}

void MatmulChoices::add(const std::string &product,
                        const cublasLtMatmulAlgo_t &algorithm,
                        const std::string &is) {
  products[product] = {is, algorithm};
}

std::string MatmulChoices::text() const {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto &[product, choice] : products)
    all[product] = {{"is", choice.is}, {"data", toHex(choice.algorithm)}};
  nlohmann::ordered_json json = {
      {"device", device}, {"library", library}, {"products", all}};
  if (!attentions.empty()) {
    json["attention_library"] = attentionLibrary;
    json["attentions"] = attentions;
  }
  return json.dump(/*indent=*/1) + "\n";
}
