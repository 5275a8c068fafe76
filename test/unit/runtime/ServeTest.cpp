//===- ServeTest.cpp - Answers lines of requests --------------------------===//

#include "train/generate/Serve.h"
#include "FakeDecoder.h"

#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace zrt;

namespace {

using Texts = std::vector<std::string>;

/// Lines of a test: one list for each call of read().
class GivenLines : public Lines {
public:
  explicit GivenLines(std::vector<Texts> given) : given(std::move(given)) {}
  bool read(Texts &lines, int) override {
    if (at < given.size())
      lines.insert(lines.end(), given[at].begin(), given[at].end());
    return ++at < given.size();
  }

private:
  std::vector<Texts> given;
  size_t at = 0;
};

Texts serveAll(std::vector<Texts> given, size_t most = SIZE_MAX) {
  FakeDecoder decoder(2, 16, 4, 50);
  GivenLines lines(std::move(given));
  Texts answers;
  serve(decoder, {}, lines, [&](const std::string &text) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      EXPECT_NE(end, std::string::npos);
      answers.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return answers.size() < most;
  });
  return answers;
}

class Pipe {
public:
  Pipe() { EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends[0]);
    finish();
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  int reader() const { return ends[0]; }
  void write(const std::string &text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), ssize_t(text.size()));
  }
  void finish() {
    if (ends[1] >= 0)
      ::close(std::exchange(ends[1], -1));
  }

private:
  int ends[2] = {-1, -1};
};

} // namespace

TEST(Serve, AnswersAndGoesOnAfterABadRequest) {
  const Texts answers =
      serveAll({{R"({"id":1,"ids":[20,21],"max":2})", "", "  \r", "nonsense",
                 R"({"id":2,"ids":[50]})", R"({"id":1,"ids":[20]})",
                 R"({"id":3,"ids":[20,21],"max":1})"}});
  ASSERT_EQ(answers.size(), 8U);
  EXPECT_NE(answers[0].find(R"({"id":null,"error":"the line nonsense is not)"),
            std::string::npos);
  EXPECT_NE(answers[1].find(R"({"id":2,"error":"\"ids\" has 50 at place 0)"),
            std::string::npos);
  EXPECT_EQ(answers[2], R"({"id":null,"error":"\"id\" 1 is that of a request )"
                        R"(that has not ended; give it another"})");
  EXPECT_EQ(answers[5], R"({"id":3,"end":"length"})");
  EXPECT_EQ(answers[7], R"({"id":1,"end":"length"})");
}

TEST(Serve, StopsInTheMiddle) {
  const Texts answers = serveAll({{R"({"id":1,"ids":[20,21]})"},
                                  {},
                                  {},
                                  {R"({"stop":1})", R"({"stop":1})"}});
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[3], R"({"id":1,"end":"stop"})");
}

TEST(Serve, AnswersEachTokenAtOnce) {
  FakeDecoder decoder(1, 16, 4, 50);
  GivenLines lines({{R"({"id":1,"ids":[20],"max":3})"}});
  std::string log;
  serve(decoder, {}, lines, [&](const std::string &) {
    log += decoder.log + ' ';
    return true;
  });
  EXPECT_EQ(log, "d dd ddd ");
}

TEST(Serve, EndsWhenNobodyReads) {
  EXPECT_EQ(serveAll({{R"({"id":1,"ids":[20]})"}}, 2).size(), 2U);
}

TEST(Serve, RefusesALineThatIsTooLong) {
  const Texts answers =
      serveAll({{std::string(longestRequest(16) + 1, ' ') + "x"}});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(answers[0].find("a line has more than 65,728 bytes (64.2 KiB)"),
            std::string::npos)
      << answers[0];
}

TEST(DescriptorLines, AreThoseOfAPipe) {
  Pipe pipe;
  DescriptorLines source(pipe.reader(), 5);
  Texts lines;
  EXPECT_TRUE(source.read(lines, /*wait=*/0));
  EXPECT_EQ(lines, Texts{});
  pipe.write("a\nb");
  EXPECT_TRUE(source.read(lines, /*wait=*/-1));
  EXPECT_EQ(lines, Texts{"a"});
  pipe.write("c\n\n123456789\n12345\nend");
  EXPECT_TRUE(source.read(lines, /*wait=*/0));
  EXPECT_EQ(lines, (Texts{"a", "bc", "", "123456", "12345"}));
  pipe.finish();
  EXPECT_FALSE(source.read(lines, /*wait=*/-1));
  EXPECT_EQ(lines.back(), "end");
}

TEST(DescriptorLines, WaitForALine) {
  Pipe pipe;
  DescriptorLines source(pipe.reader(), 100);
  std::thread writer([&] {
    for (const char *part : {"a", "b", "c\n"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      pipe.write(part);
    }
  });
  Texts lines;
  EXPECT_TRUE(source.read(lines, /*wait=*/-1));
  EXPECT_EQ(lines, Texts{"abc"});
  writer.join();
}
