//===- PlotSvg.h - Lines, symbols and text in SVG ---------------*- C++ -*-===//
#pragma once

#include "tools/zeroc/PlotRun.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::zero {

/// Returns `text`, or "..." and its last characters: `most` characters in all.
std::string shortened(StringRef text, size_t most);

/// Collects the elements of a picture.  Coordinates are pixels from the upper
/// left, colours "#rrggbb".
class Svg {
public:
  void line(double x1, double y1, double x2, double y2, StringRef color,
            double width, StringRef dash = "");
  /// `anchor` is the part of the text that lies at x: start, middle or end.
  void text(double x, double y, StringRef anchor, StringRef color, int size,
            StringRef words, bool isBold = false);
  /// A line through the points, with gaps where y is NaN; `title` is its
  /// tooltip.
  void curve(ArrayRef<PlotPoint> points, StringRef color, double width,
             double opacity, StringRef dash, StringRef title);
  void circle(double x, double y, double radius, StringRef color);
  void triangle(double x, double y, StringRef color);
  void cross(double x, double y, StringRef color);
  void bar(double x, double y, StringRef color);

  /// Returns the file of a picture of that size.
  std::string finish(double width, double height);

private:
  std::string body;
  llvm::raw_string_ostream out{body};
};

} // namespace mlir::zero
