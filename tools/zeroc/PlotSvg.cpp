//===- PlotSvg.cpp - Lines, symbols and text in SVG -----------------------===//
#include "tools/zeroc/PlotSvg.h"

#include "tools/zeroc/PlotScale.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::zero;

/// Prints a coordinate to a tenth of a pixel.
static std::string place(double value) {
  auto tenths = std::llround(value * 10);
  std::string text = std::to_string(tenths / 10);
  if (tenths < 0 && tenths > -10)
    text = "-0";
  if (tenths % 10)
    text += "." + std::to_string(std::abs(tenths % 10));
  return text;
}

static bool isContinuation(char c) { return (c & 0xc0) == 0x80; }

std::string zero::shortened(StringRef text, size_t most) {
  if (text.size() <= most)
    return text.str();
  StringRef end = text.take_back(most - 3);
  // Does not begin in the middle of a UTF-8 character.
  end = end.drop_while(isContinuation);
  return ("..." + end).str();
}

/// Escapes text, also for attributes in double quotes.
static std::string escaped(StringRef text) {
  // XML excludes control characters, even escaped.
  std::string allowed = text.str();
  std::replace_if(
      allowed.begin(), allowed.end(),
      [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  std::string result;
  llvm::raw_string_ostream out(result);
  llvm::printHTMLEscaped(allowed, out);
  return result;
}

static std::string dashes(StringRef dash) {
  return dash.empty() ? "" : (" stroke-dasharray=\"" + dash + "\"").str();
}

void Svg::line(double x1, double y1, double x2, double y2, StringRef color,
               double width, StringRef dash) {
  out << "<path d=\"M" << place(x1) << " " << place(y1) << "L" << place(x2)
      << " " << place(y2) << "\" stroke=\"" << color << "\" stroke-width=\""
      << place(width) << "\"" << dashes(dash) << "/>\n";
}

void Svg::text(double x, double y, StringRef anchor, StringRef color, int size,
               StringRef words, bool isBold) {
  out << "<text x=\"" << place(x) << "\" y=\"" << place(y) << "\" fill=\""
      << color << "\" font-size=\"" << size << "\"";
  if (anchor != "start")
    out << " text-anchor=\"" << anchor << "\"";
  if (isBold)
    out << " font-weight=\"bold\"";
  out << ">" << escaped(words) << "</text>\n";
}

void Svg::curve(ArrayRef<PlotPoint> points, StringRef color, double width,
                double opacity, StringRef dash, StringRef title) {
  std::string path;
  bool isOn = false;
  for (auto [index, point] : llvm::enumerate(points)) {
    bool wasOn = std::exchange(isOn, !std::isnan(point.y));
    if (!isOn)
      continue;
    path += (wasOn ? "L" : "M") + place(point.x) + " " + place(point.y);
    // A single point becomes a dot, because lines have round ends.
    bool isLast = index + 1 == points.size() || std::isnan(points[index + 1].y);
    if (!wasOn && isLast)
      path += "h0";
  }
  if (path.empty())
    return;
  out << "<path d=\"" << path << "\" stroke=\"" << color << "\" stroke-width=\""
      << place(width) << "\"";
  if (opacity < 1)
    out << " stroke-opacity=\"" << printed("%.*g", 3, opacity) << "\"";
  out << dashes(dash) << "><title>" << escaped(title) << "</title></path>\n";
}

void Svg::circle(double x, double y, double radius, StringRef color) {
  out << "<circle cx=\"" << place(x) << "\" cy=\"" << place(y) << "\" r=\""
      << place(radius) << "\" fill=\"#ffffff\" stroke=\"" << color
      << "\" stroke-width=\"1.4\"/>\n";
}

void Svg::triangle(double x, double y, StringRef color) {
  out << "<path d=\"M" << place(x - 4) << " " << place(y - 4) << "h8l-4 8z\""
      << " fill=\"" << color << "\"/>\n";
}

void Svg::cross(double x, double y, StringRef color) {
  out << "<path d=\"M" << place(x - 3.5) << " " << place(y - 3.5)
      << "l7 7m0 -7l-7 7\" stroke=\"" << color << "\" stroke-width=\"1.6\"/>\n";
}

void Svg::bar(double x, double y, StringRef color) {
  out << "<path d=\"M" << place(x) << " " << place(y - 5) << "v10\" stroke=\""
      << color << "\" stroke-width=\"1.6\"/>\n";
}

std::string Svg::finish(double width, double height) {
  std::string size =
      "width=\"" + place(width) + "\" height=\"" + place(height) + "\"";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<svg id=\"zeroc\" xmlns=\"http://www.w3.org/2000/svg\" "
         "version=\"1.1\" " +
         size + " viewBox=\"0 0 " + place(width) + " " + place(height) +
         "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
         "<rect " +
         size +
         " fill=\"#ffffff\"/>\n"
         "<g fill=\"none\" stroke-linecap=\"round\" "
         "stroke-linejoin=\"round\">\n" +
         body + "</g>\n</svg>\n";
}
