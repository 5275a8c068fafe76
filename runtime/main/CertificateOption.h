//===- CertificateOption.h - --certificate[=text|json] ----------*- C++ -*-===//
#ifndef ZRT_MAIN_CERTIFICATE_OPTION_H
#define ZRT_MAIN_CERTIFICATE_OPTION_H

#include "runtime/main/Options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace zrt {

/// `typed` becomes "text" or what follows `=`.
void addCertificateOption(CLI::App &app, std::string &typed);

/// Throws UsageError for another form.
void judgeCertificateOption(const std::string &typed, TrainOptions &options);

} // namespace zrt

#endif // ZRT_MAIN_CERTIFICATE_OPTION_H
