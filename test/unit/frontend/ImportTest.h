//===- ImportTest.h - A test that imports a config.json ---------*- C++ -*-===//
#pragma once

#include "frontend/families/HuggingFace.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

struct ImportTest : testing::Test {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) /
                               ("config-" + std::to_string(getpid()) + ".json");
  std::vector<std::string> notes;
  std::optional<int64_t> separator;
  bool dropout = false;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  void TearDown() override { std::filesystem::remove(path); }

  /// The error without the file's name, or "" on success.
  std::string importText(const std::string &text, int64_t sequence = 8) {
    std::ofstream(path) << text;
    return importFile(path.string(), sequence);
  }

  std::string importFile(const std::string &name, int64_t sequence = 8) {
    notes.clear();
    auto result = mlir::frontend::importHuggingFace(
        context, name,
        {.batch = 2,
         .sequence = sequence,
         .separator = separator,
         .dropout = dropout},
        [&](llvm::StringRef note) { notes.push_back(note.str()); });
    if (!result) {
      std::string message = llvm::toString(result.takeError());
      EXPECT_TRUE(llvm::StringRef(message).starts_with(name)) << message;
      return llvm::StringRef(message).drop_front(name.size()).ltrim(": ").str();
    }
    module = std::move(*result);
    EXPECT_TRUE(module);
    return "";
  }

  template <typename OpT>
  OpT first() {
    OpT result;
    module->walk([&](OpT op) {
      result = op;
      return mlir::WalkResult::interrupt();
    });
    return result;
  }
};
