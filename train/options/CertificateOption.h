//===- CertificateOption.h - --certificate[=text|json] ----------*- C++ -*-===//
#pragma once

#include "train/options/Options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// Sets `typed` to "text", or to the text after `=`.
void addCertificateOption(CLI::App &app, std::string &typed);

/// Throws UsageError for another form.
void judgeCertificateOption(const std::string &typed, TrainOptions &options);

} // namespace zrt
