//===- GpuCollectives.h - Collectives that stay on GPUs ---------*- C++ -*-===//
//
// Implements the core's collectives with an Exchange: NCCL, or memory that GPUs
// share.  Operations are issued to streams, and are complete when the stream
// has reached them.  While a program runs, a thread watches for failures of
// peers and of the exchange; it then ends all waits for peers, so that streams
// end.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Collectives.h"
#include "runtime/core/ErrorLatch.h"
#include "runtime/device/cuda/exchange/Exchange.h"
#include "runtime/device/cuda/exchange/Watch.h"

#include <memory>
#include <vector>

namespace zrt::cuda {

class GpuCollectives final : public Collectives {
public:
  /// Connects all ranks, which call it together.  `host` reports failures
  /// between them.  Throws zrt::Error.
  GpuCollectives(ExchangeDevice device, std::shared_ptr<Exchange> exchange,
                 World &world, std::unique_ptr<Transport> host);
  ~GpuCollectives() override;

  bool isOnDevice() const override { return true; }
  void begin() override;
  void end() override;
  void check(const zrt_collective_desc &desc) const override;
  void run(zrt_stream stream, const zrt_collective_desc &desc,
           const std::byte *source, std::byte *result, TrafficRow &row,
           CollectiveTrace *trace) override;
  void abort(const std::string &message) override;
  std::string note() const override { return exchange->note(); }

private:
  void look();
  void finishStreams();
  void issue(const ExchangeCall &call);

  const ExchangeDevice device;
  const std::unique_ptr<Transport> host;
  std::shared_ptr<Exchange> exchange;
  ErrorLatch failure;
  std::vector<std::unique_ptr<PeerWait>> peers;
  std::vector<uint32_t> calls; ///< collectives, by stream
  Watch watch; ///< last: its thread ends before the data that it uses
};

} // namespace zrt::cuda
