//===- AttachmentsTest.cpp - Attachments of the training program ----------===//
#include "runtime/program/Attachments.h"

#include "TestFiles.h"
#include "runtime/text/Error.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace zrt;

namespace {

/// A file of `content` for one test.
class Program {
public:
  explicit Program(const std::string &content)
      : path(testing::TempDir() + "/program" + std::to_string(getpid())) {
    std::ofstream(path, std::ios::binary) << content;
  }
  ~Program() { std::remove(path.c_str()); }
  const char *name() const { return path.c_str(); }

private:
  const std::string path;
};

std::string attachError(const Program &program, const char *name) {
  try {
    loadAttachment(name, program.name());
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

} // namespace

TEST(Attachments, ProgramWithoutAnyHasNone) {
  for (const std::string content :
       {"", "short", "nothing like a footer at the end of it"})
    EXPECT_FALSE(loadAttachment("plan.so", Program(content).name()));
}

TEST(Attachments, AreFoundByTheirWholeName) {
  const Program program(attach("program", {{"a.so", "1"}, {"ab.so", "22"}}));
  EXPECT_FALSE(loadAttachment("b.so", program.name()));
  EXPECT_FALSE(loadAttachment("a", program.name()));
  // The attachment found is not a shared object.
  EXPECT_HAS(attachError(program, "ab.so"), "cannot load ab.so: ");
}

TEST(Attachments, PlansNameTheirRanks) {
  EXPECT_EQ(planSizes(Program(attach("program", {{planAttachmentName(8), "1"},
                                                 {"zrt_mpi.so", "2"},
                                                 {planAttachmentName(2), "3"}}))
                          .name()),
            (std::vector<uint32_t>{8, 2}));
  const Program single(attach("program", {{"plan.so", "1"}, {"plan.", "2"}}));
  EXPECT_TRUE(planSizes(single.name()).empty());
}

TEST(Attachments, ProgramThatIsCutOffHasNone) {
  const std::string whole = attach("program", {{"a.so", "content"}});
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(loadAttachment("a.so", Program(whole.substr(0, size)).name()));
}

TEST(Attachments, EntryBeyondTheFileIsAnError) {
  std::string whole = attach("program", {{"a.so", "content"}});
  whole[whole.size() - 16 - 3] = 1; // the length's high byte
  EXPECT_EQ(attachError(Program(whole), "a.so").substr(0, 6), "cannot");
}
