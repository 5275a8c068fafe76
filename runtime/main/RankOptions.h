//===- RankOptions.h - Options that all ranks must have alike ---*- C++ -*-===//
//
// One rank with --spike-guard would leave an update out that the others make;
// one with --save-dtype would wait for a vote that they do not hold.  So every
// option of the command line is compared but those that are named here, with
// the reason.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace zrt {

/// Options that may differ: what they do is one rank's or one host's own.
constexpr std::string_view kOwnOptions[] = {
    // Of a host: where its files and drives are, and how many cores it has.
    "--threads", "--host-threads", "--nvme-path", "--nvme-endurance",
    "--verify-reads", "--checkpoint-memory",
    // Rank 0 alone prints, writes logs and removes checkpoints.
    "--metrics", "--tensorboard", "--progress", "--quiet", "--keep",
    // The program ends before ranks meet.
    "--help", "--certificate", "--plan"};

/// Options with names of files and folders: ranks have them all or none, and
/// what is in the files is compared (Fingerprint.h), not where they are.
constexpr std::string_view kPlaceOptions[] = {
    "--data",    "--input", "--eval-data",  "--eval-input", "--init",
    "--adapter", "--save",  "--checkpoint", "--resume",     "--device-check"};

/// What `app` was given of the others, an option in a line: "--lr=0.001", of
/// places and flags the name alone.  Numbers have one spelling.
std::string comparedOptions(const CLI::App &app);

} // namespace zrt
