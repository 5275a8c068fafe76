//===- MemoryTest.cpp - The memory that is available, and plans -----------===//
#include "train/run/MemoryCheck.h"

#include "TestFiles.h"

#include <filesystem>
#include <string>

using namespace zrt;

namespace {

constexpr uint64_t MiB = 1 << 20, GiB = 1 << 30;

/// A machine with files of /proc and /sys.
class Machine {
public:
  explicit Machine(uint64_t available) {
    write("proc/meminfo",
          "MemTotal:       99999999 kB\nMemFree:              12 kB\n"
          "MemAvailable: " +
              std::to_string(available / 1024) + " kB\n");
  }
  void write(const std::string &file, const std::string &text) const {
    const std::filesystem::path path = folder / file;
    std::filesystem::create_directories(path.parent_path());
    folder.write(file, text);
  }
  /// A control group of version 2.
  void group(const std::string &name, const std::string &limit, uint64_t used,
             uint64_t files, const std::string &high = "max") const {
    const std::string at = "sys/fs/cgroup" + name + "/";
    write(at + "memory.max", limit + "\n");
    write(at + "memory.high", high + "\n");
    write(at + "memory.current", std::to_string(used) + "\n");
    write(at + "memory.stat", "anon " + std::to_string(used - files) +
                                  "\ninactive_file " + std::to_string(files) +
                                  "\nactive_file 0\n");
  }
  AvailableMemory look() const { return availableMemory(root()); }
  std::string root() const { return folder / ""; }

private:
  TestFolder folder;
};

} // namespace

TEST(Memory, IsWhatTheMachineHasAvailable) {
  const Machine machine(3 * GiB);
  EXPECT_EQ(machine.look().bytes, 3 * GiB);
  EXPECT_HAS(machine.look().source, "proc/meminfo");
  EXPECT_EQ(availableMemory(machine.root() + "none").bytes, UINT64_MAX);
  EXPECT_EQ(availableMemory(machine.root() + "none").source, "");
}

TEST(Memory, IsLessInAGroupOrThoseAroundIt) {
  const Machine machine(30 * GiB);
  machine.write("proc/self/cgroup", "0::/jobs/train\n");
  machine.group("/jobs/train", "max", 2 * GiB, 0);
  EXPECT_EQ(machine.look().bytes, 30 * GiB);
  machine.group("/jobs/train", std::to_string(8 * GiB), 2 * GiB, 0);
  EXPECT_EQ(machine.look().bytes, 6 * GiB);
  EXPECT_HAS(machine.look().source, "jobs/train/memory.max");
  // Cached files can be dropped.
  machine.group("/jobs/train", std::to_string(8 * GiB), 2 * GiB, GiB);
  EXPECT_EQ(machine.look().bytes, 7 * GiB);
  // Beyond memory.high it would be slow.
  machine.group("/jobs/train", std::to_string(8 * GiB), 2 * GiB, GiB,
                std::to_string(4 * GiB));
  EXPECT_EQ(machine.look().bytes, 3 * GiB);
  EXPECT_HAS(machine.look().source, "memory.high");
  machine.group("/jobs", std::to_string(5 * GiB), 4 * GiB, 0);
  EXPECT_EQ(machine.look().bytes, GiB);
  // As in a container, whose own group is the mount.
  machine.group("", std::to_string(3 * GiB), 3 * GiB, 512 * MiB);
  EXPECT_EQ(machine.look().bytes, 512 * MiB);
  // It holds more than its new limit.
  machine.group("", std::to_string(GiB), 3 * GiB, 512 * MiB);
  EXPECT_EQ(machine.look().bytes, 0u);
}

TEST(Memory, IsLessInAGroupOfVersion1) {
  const Machine machine(30 * GiB);
  const std::string at = "sys/fs/cgroup/memory/docker/";
  machine.write("proc/self/cgroup",
                "9:name=systemd:/\n4:cpu,memory:/docker\n3:cpuset:/\n0::/\n");
  machine.write(at + "memory.limit_in_bytes", "9223372036854771712\n");
  machine.write(at + "memory.usage_in_bytes", std::to_string(2 * GiB));
  EXPECT_EQ(machine.look().bytes, 30 * GiB);
  machine.write(at + "memory.limit_in_bytes", std::to_string(4 * GiB));
  machine.write(at + "memory.stat", "inactive_file 1\ntotal_inactive_file " +
                                        std::to_string(GiB / 2) +
                                        "\ntotal_active_file " +
                                        std::to_string(GiB / 2) + "\n");
  EXPECT_EQ(machine.look().bytes, 3 * GiB);
  // Of another controller.
  machine.write("proc/self/cgroup", "3:cpuset,memory2:/docker\n");
  EXPECT_EQ(machine.look().bytes, 30 * GiB);
}

TEST(Memory, CountsKills) {
  const Machine machine(GiB);
  EXPECT_EQ(countMemoryKills(machine.root()), 0u);
  machine.write("proc/vmstat", "oom_kill_other 3\noom_kill 7\n");
  EXPECT_EQ(countMemoryKills(machine.root()), 7u);
}

TEST(MemoryCheck, RefusesWhatIsNotThere) {
  const AvailableMemory available = {10 * GiB, "/proc/meminfo"};
  zrt_plan plan = {};
  plan.arena_bytes[ZRT_DEVICE] = 5 * GiB;
  plan.arena_bytes[ZRT_HOST] = 3 * GiB;
  EXPECT_EQ(memoryRefusal(plan, 1, available), "");
  EXPECT_EQ(memoryRefusal(plan, 1, {}), "");
  plan.arena_bytes[ZRT_NVME] = 90 * GiB; // no memory
  EXPECT_EQ(memoryRefusal(plan, 1, available), "");
  plan.arena_bytes[ZRT_HOST] = 5 * GiB;
  EXPECT_EQ(memoryRefusal(plan, 1, available),
            "the plan needs 10.1 GiB (arenas of 10,737,418,240 bytes (10.0 "
            "GiB), and 128.0 MiB for the program), and 9.5 GiB can be taken of "
            "the 10.0 GiB that /proc/meminfo has as available; compile it with "
            "a smaller --batch or --seq of zeroc import, --remat=block, "
            "--offload=nvme, or start it anyway with --memory-check=off");
  plan.options = "--remat=block";
  EXPECT_HAS_NOT(memoryRefusal(plan, 1, available), "--remat=block");
  // Of a GPU's plan only the host's arena is here.
  plan.make_device = [](zrt_device_request *) {};
  EXPECT_EQ(memoryRefusal(plan, 1, available), "");
  EXPECT_HAS(memoryRefusal(plan, 2, available),
             "needs 5.1 GiB for each of 2 ranks on this host");
}

TEST(MemoryCheck, LeavesAPartToTheKernel) {
  EXPECT_EQ(takeableBytes({2000, ""}), 1900u);
  EXPECT_EQ(takeableBytes({100 * GiB, ""}), 99 * GiB);
  EXPECT_EQ(mostArenaBytes({100 * GiB, ""}, 3), 33 * GiB - kProgramMemory);
  EXPECT_EQ(mostArenaBytes({MiB, ""}, 1), 0u);
}
