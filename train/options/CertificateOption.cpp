//===- CertificateOption.cpp - --certificate[=text|json] ------------------===//
#include "train/options/CertificateOption.h"

#include "train/options/OptionValues.h"

using namespace zrt;

void zrt::addCertificateOption(CLI::App &app, std::string &typed) {
  // A flag with an optional value takes no value after a space.
  app.add_flag("--certificate{text}", typed);
}

void zrt::judgeCertificateOption(const std::string &typed,
                                 TrainOptions &options) {
  if (typed.empty())
    return;
  constexpr Choices<bool, 2> kForms = {{{"json", true}, {"text", false}}};
  options.certificateJson = choose("--certificate", typed, kForms);
  options.certificate = true;
}
