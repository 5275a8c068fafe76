//===- TableTest.cpp - Tables that are refused at start -------------------===//
#include "runtime/core/PlanChecks.h"
#include "runtime/device/cpu/CpuDevice.h"

#include "Collectives.h"
#include "TestFiles.h"

using namespace zrt;
using namespace zrt::test;

namespace {

void noKernel(void *const *, int64_t, int64_t) {}

const zrt_member oneMember = {"w", 1, 1, nullptr, 0, 0, 64, {}};
const zrt_bucket oneBucket = {"b0", 64, 1, 0, &oneMember, 0, 0};

/// A plan of two ranks with one bucket of 64 elements.
zrt_plan planOfStep(const Table &step) {
  zrt_plan plan = ranksPlan(2, step);
  plan.buckets = &oneBucket;
  plan.bucket_count = 1;
  return plan;
}

/// Returns why the operation after a record and a wait is refused; "" if it is
/// valid.
std::string refusal(const std::function<void(Table &)> &add) {
  Table table;
  add(table.record(ZRT_GATHER, 0).wait(ZRT_COMPUTE, 0));
  const std::string message = errorOf([&] { checkTables(planOfStep(table)); });
  const std::string place = "program step, operation 2, ";
  EXPECT_EQ(message.substr(0, message.empty() ? 0 : place.size()),
            message.empty() ? "" : place);
  return message.empty() ? "" : message.substr(place.size());
}

std::string launchRefusal(const zrt_operand &operand) {
  return refusal([&](Table &table) {
    table.launch(ZRT_COMPUTE, "it", noKernel, 1, 1, {operand});
  });
}

TEST(Tables, OperationsExist) {
  const zrt_event_desc event = {0, 0};
  EXPECT_EQ(refusal([](Table &) {}), "");
  EXPECT_EQ(refusal([&](Table &table) { table.add(99, 0, &event); }),
            "unknown: kind 99 does not exist");
  EXPECT_EQ(refusal([&](Table &table) { table.add(ZRT_LAUNCH, 0, nullptr); }),
            "launch: it has no descriptor");
  EXPECT_EQ(refusal([&](Table &table) { table.wait(11, 0); }),
            "wait: stream 11 does not exist, the plan has 11");
}

TEST(Tables, EventsAreRecordedOnceAndThenWaitedFor) {
  EXPECT_EQ(refusal([](Table &table) {
              table.wait(ZRT_H2D, 1).record(ZRT_COMPUTE, 1);
            }),
            "wait: event 1 is waited for before it is recorded");
  EXPECT_EQ(refusal([](Table &table) { table.record(ZRT_H2D, 0); }),
            "record: event 0 is recorded twice");
  EXPECT_EQ(refusal([](Table &table) { table.wait(ZRT_H2D, 7); }),
            "wait: event 7 does not exist, the program has 1");
  zrt_plan plan = planOfStep(Table().record(ZRT_H2D, 0));
  plan.programs[ZRT_STEP].event_count = UINT32_MAX;
  EXPECT_EQ(errorOf([&] { checkTables(plan); }),
            "program step: 1 operations record 4294967295 events");
}

TEST(Tables, OperandsLieInTheirArenas) {
  EXPECT_EQ(launchRefusal(tensor(deviceRef(0, 64))), "");
  EXPECT_EQ(launchRefusal(tensor({7, 0, 0, 8})),
            "it: operand 0: tier 7 does not exist");
  EXPECT_EQ(launchRefusal(tensor({ZRT_HOST, 0, 0, 8})),
            "it: operand 0: 8 bytes at offset 0 reach past the host arena of 0 "
            "bytes");
  EXPECT_EQ(
      launchRefusal(tensor(deviceRef(8, UINT64_MAX - 7))),
      "it: operand 0: 18,446,744,073,709,551,608 bytes (16.0 EiB) at "
      "offset 8 reach past the device arena of 4,259,840 bytes (4.1 MiB)");
}

TEST(Tables, OperandsAreOfATypeAndAnExtent) {
  EXPECT_EQ(launchRefusal(tensor(deviceRef(0, 64), 0)),
            "it: operand 0: dtype 0 does not exist");
  EXPECT_EQ(launchRefusal(tensor(deviceRef(0, 64), 99)),
            "it: operand 0: dtype 99 does not exist");
  EXPECT_EQ(launchRefusal(tensor(deviceRef(0, 66))),
            "it: operand 0: 66 bytes are no number of f32 of 4 bytes");
  EXPECT_EQ(launchRefusal({deviceRef(0, 64), ZRT_F32, 0}),
            "it: operand 0: extent 0 does not exist");
  EXPECT_EQ(launchRefusal({deviceRef(0, 64), ZRT_F32, ZRT_EXTENT_END}),
            "it: operand 0: extent 9 does not exist");
  EXPECT_EQ(launchRefusal(scalar(deviceRef(0, 64))),
            "it: operand 0: it is scalar of f32, hence 1 elements, but its 64 "
            "bytes hold 16");
}

TEST(Tables, LaunchesHaveUnits) {
  const std::string wanted = "it: a launch needs a kernel, units >= 0 and a "
                             "grain > 0, got ";
  const auto launch = [](zrt_kernel_fn fn, int64_t units, int64_t grain) {
    return refusal([=](Table &table) {
      table.launch(ZRT_COMPUTE, "it", fn, units, grain, {});
    });
  };
  EXPECT_EQ(launch(noKernel, 0, 1), "");
  EXPECT_EQ(launch(nullptr, 1, 1), wanted + "1 units, grain 1");
  EXPECT_EQ(launch(noKernel, -1, 1), wanted + "-1 units, grain 1");
  EXPECT_EQ(launch(noKernel, 1, 0), wanted + "1 units, grain 0");
}

TEST(Tables, PackedMatricesAreThoseOfFewRows) {
  zrt_matmul_desc desc = {};
  desc.scale = 1;
  desc.name = "up.3";
  desc.batch = desc.trans_b = 1;
  desc.m = 8;
  desc.n = 2;
  desc.k = 64;
  desc.packing = ZRT_INT8;
  desc.a = tensor(deviceRef(0, 2304));
  desc.b = tensor(deviceRef(4096, 136));
  desc.b.dtype = ZRT_I8;
  desc.c = tensor(deviceRef(2560, 128));
  const zrt_matmul_desc good = desc;
  const auto message = [&] {
    return refusal([&](Table &table) { table.matmul(ZRT_COMPUTE, desc); });
  };
  EXPECT_EQ(message(), "");
  desc.packing = ZRT_NF4;
  EXPECT_EQ(message(), "up.3: B: 136 bytes of i8, and 128 elements of nf4 are "
                       "74 bytes of i8");
  desc.packing = ZRT_PACKING_COUNT;
  EXPECT_EQ(message(), "up.3: packing 3 does not exist");
  for (const auto change : {+[](zrt_matmul_desc &d) { d.trans_b = 0; },
                            +[](zrt_matmul_desc &d) { d.m = 9; },
                            +[](zrt_matmul_desc &d) { d.k = 32, d.n = 4; }}) {
    desc = good;
    change(desc);
    EXPECT_EQ(message(),
              "up.3: B is packed, and so is that of one product with a "
              "transposed B, up to 8 rows, and a multiple of 64 up to 14336 "
              "columns of A");
  }
}

TEST(Tables, MatricesFitTheirBytes) {
  zrt_matmul_desc desc = {};
  desc.scale = 1;
  desc.name = "c_fc.3";
  desc.batch = desc.m = desc.n = desc.k = 4;
  desc.a = desc.b = desc.c = tensor(deviceRef(0, 256));
  const zrt_matmul_desc good = desc;
  const auto message = [&] {
    return refusal([&](Table &table) { table.matmul(ZRT_COMPUTE, desc); });
  };
  EXPECT_EQ(message(), "");
  desc.b.ref.bytes = 252;
  EXPECT_EQ(message(),
            "c_fc.3: B is 4 x 4 x 4 of f32, but its 252 bytes hold 63");
  desc = good;
  desc.a.dtype = ZRT_F64;
  EXPECT_EQ(message(),
            "c_fc.3: A is 4 x 4 x 4 of f64, but its 256 bytes hold 32");
  desc = good;
  desc.m = int64_t{1} << 62;
  EXPECT_EQ(message().find("c_fc.3: A is 4 x 4611686018427387904"), 0u);
  desc = good;
  desc.k = -1;
  EXPECT_EQ(message(), "c_fc.3: negative size: batch 4, m 4, n 4, k -1");
  desc = good;
  desc.has_bias = 1;
  EXPECT_EQ(message(), "c_fc.3: bias: dtype 0 does not exist");
  desc.bias = tensor(deviceRef(0, 12));
  EXPECT_EQ(message(),
            "c_fc.3: bias is 1 x 1 x 4 of f32, but its 12 bytes hold 3");
}

TEST(Tables, GroupedMatricesFitTheirBytes) {
  const zrt_operand ofW[] = {tensor(deviceRef(0, 48)),
                             tensor(deviceRef(0, 48))};
  zrt_operand tooSmall[] = {ofW[0], tensor(deviceRef(0, 44))};
  zrt_grouped_desc desc = {};
  desc.name = "experts.3";
  desc.groups = 2;
  desc.rows = 5;
  desc.n = 3;
  desc.k = 4;
  desc.x = tensor(deviceRef(0, 80));
  desc.y = tensor(deviceRef(128, 60));
  desc.offsets = tensor(deviceRef(256, 12), ZRT_I32);
  desc.w = ofW;
  const zrt_grouped_desc good = desc;
  const auto message = [&] {
    const std::string text = refusal(
        [&](Table &table) { table.add(ZRT_GROUPED, ZRT_COMPUTE, &desc); });
    desc = good;
    return text;
  };
  EXPECT_EQ(message(), "");
  desc.rows = 6;
  EXPECT_EQ(message(),
            "experts.3: x is 1 x 6 x 4 of f32, but its 80 bytes hold 20");
  desc.y.ref.bytes = 56;
  EXPECT_EQ(message(),
            "experts.3: y is 1 x 5 x 3 of f32, but its 56 bytes hold 14");
  desc.w = tooSmall;
  EXPECT_EQ(message(),
            "experts.3: W1 is 1 x 4 x 3 of f32, but its 44 bytes hold 11");
  desc.offsets.ref.bytes = 8;
  EXPECT_EQ(message(),
            "experts.3: offsets: 2 of i32, and 2 groups have 3 of i32");
  desc.offsets.dtype = ZRT_F32;
  EXPECT_EQ(message(),
            "experts.3: offsets: 3 of f32, and 2 groups have 3 of i32");
  desc.n = -1;
  EXPECT_EQ(message(), "experts.3: negative size: rows 5, n -1, k 4");
  desc.groups = 0;
  EXPECT_EQ(message(), "experts.3: it has no groups");
  desc.sums = desc.trans_w = 1;
  EXPECT_EQ(message(),
            "experts.3: sums are not stored transposed; exchange x and y");
}

/// Returns why an update of the bucket with these operands is refused.
std::string updateRefusal(const std::vector<zrt_operand> &args,
                          uint32_t number = 0,
                          zrt_kernel_fn decayed = noKernel) {
  return refusal([&](Table &table) {
    table.update(ZRT_COMPUTE, {"adamw of b0", number, uint32_t(args.size()),
                               noKernel, decayed, args.data(), 0, 0, 0, 0});
  });
}

TEST(Tables, UpdatesAreOfABucketOrOfASliceOfIt) {
  const zrt_operand all = whole(deviceRef(0, 256)),
                    part = slice(deviceRef(512, 128)),
                    mine = sliceOfWhole(deviceRef(0, 256)),
                    rate = scalar(deviceRef(1024, 4));
  EXPECT_EQ(updateRefusal({all, all, rate, all}), "");
  EXPECT_EQ(updateRefusal({mine, part, rate, mine}), "");
  // Half as many elements of twice the size have the same number of bytes.
  EXPECT_EQ(updateRefusal({whole(deviceRef(0, 128), ZRT_BF16), all}), "");
  EXPECT_EQ(updateRefusal({all, slice(deviceRef(0, 128), ZRT_BF16)}),
            "adamw of b0: operand 1: it is slice of bf16, hence 32 elements, "
            "but its 128 bytes hold 64");
  EXPECT_EQ(
      updateRefusal({whole(deviceRef(0, 128))}),
      "adamw of b0: operand 0: it is whole of f32, hence 64 elements, but "
      "its 128 bytes hold 32");
  EXPECT_EQ(updateRefusal({sliceOfWhole(deviceRef(0, 128))}),
            "adamw of b0: operand 0: it is slice of whole of f32, hence 64 "
            "elements, but its 128 bytes hold 32");
  EXPECT_EQ(updateRefusal({part, all}),
            "adamw of b0: operand 1 is whole; an update works on scalars and "
            "either a whole bucket or the rank's slice of it");
  EXPECT_EQ(updateRefusal({all}, 1),
            "adamw of b0: bucket 1 does not exist, the plan has 1");
  EXPECT_EQ(updateRefusal({all}, 0, nullptr),
            "adamw of b0: it has no kernel for members with decay");
}

TEST(Tables, UpdatesRoundByRandomBits) {
  const auto message = [](const zrt_operand &bits, uint32_t rounding) {
    return refusal([&](Table &table) {
      const zrt_operand args[] = {whole(deviceRef(0, 256)), bits};
      table.update(ZRT_COMPUTE, {"sgd of b0", 0, 2, noKernel, noKernel, args,
                                 rounding, 0, 0, 0});
    });
  };
  const zrt_ref place = deviceRef(1024, 8);
  EXPECT_EQ(message(scalar(place, ZRT_I64), 1), "");
  EXPECT_EQ(message(scalar(place, ZRT_F64), 0), "");
  EXPECT_EQ(message(scalar(place, ZRT_F64), 1),
            "sgd of b0: operand 1: it is scalar f64, and random bits to round "
            "by are an i64");
  EXPECT_EQ(message(scalar(place, ZRT_I64), 2),
            "sgd of b0: it rounds by operand 2, and has 2");
}

TEST(Tables, SquaresHaveRoom) {
  const auto message = [](const zrt_operand &grad, uint64_t bytes) {
    return refusal([&](Table &table) {
      table.squares(ZRT_COMPUTE, {"norm of b0", 0, 0, grad,
                                  tensor(deviceRef(1024, bytes), ZRT_F64)});
    });
  };
  EXPECT_EQ(message(slice(deviceRef(0, 128)), 8), "");
  EXPECT_EQ(message(sliceOfWhole(deviceRef(0, 256)), 16), "");
  EXPECT_EQ(message(slice(deviceRef(0, 128)), 0),
            "norm of b0: partials: 0 bytes hold fewer than the 1 sums of rank "
            "0");
  EXPECT_EQ(message(whole(deviceRef(0, 256)), 8),
            "norm of b0: gradient: it is whole, and squares are those of the "
            "rank's slice");
}

TEST(Tables, NarrowElementsAreAsMuchOfABucketInFewerBits) {
  // A bucket of four blocks.
  zrt_member member = oneMember;
  member.count = 1024;
  const zrt_bucket bucket = {"b0", 1024, 1, 0, &member, 0, 0};
  const auto message = [&](zrt_dtype from, uint32_t extent, zrt_dtype to,
                           uint32_t toExtent, uint64_t less = 0) {
    const auto operandOf = [](zrt_dtype dtype, uint64_t at, uint32_t is,
                              uint64_t without) {
      const uint64_t count = is == ZRT_SLICE ? 512 : 1024;
      return zrt_operand{
          deviceRef(at, count / numbersIn(dtype) * dtypeBytes(dtype) - without),
          dtype, is};
    };
    const zrt_operand source = operandOf(from, 0, extent, 0),
                      result = operandOf(to, 8192, toExtent, less);
    const zrt_quantize_desc narrow = {"it", 0, 0, source, result};
    const zrt_dequantize_desc widen = {"it", 0, 0, result, source};
    const auto refusalOf = [&](uint32_t kind, const void *desc) {
      zrt_plan plan = planOfStep(Table().add(kind, ZRT_COMPUTE, desc));
      plan.buckets = &bucket;
      return errorOf([&] { checkTables(plan); });
    };
    const std::string first = refusalOf(ZRT_QUANTIZE, &narrow),
                      second = refusalOf(ZRT_DEQUANTIZE, &widen);
    const auto reasonOf = [](const std::string &all) {
      return all.empty() ? "" : all.substr(all.find("it: ") + 4);
    };
    if (less == 0)
      EXPECT_EQ(reasonOf(first), reasonOf(second));
    return reasonOf(first);
  };
  for (const zrt_dtype to : {ZRT_BLOCK8, ZRT_BLOCK4})
    for (const zrt_dtype from : {ZRT_F32, ZRT_BF16, ZRT_F16})
      for (const uint32_t extent : {ZRT_WHOLE, ZRT_SLICE})
        EXPECT_EQ(message(from, extent, to, extent), "");
  EXPECT_EQ(message(ZRT_F32, ZRT_WHOLE, ZRT_BF16, ZRT_WHOLE), "");
  EXPECT_EQ(message(ZRT_F32, ZRT_WHOLE, ZRT_BLOCK8, ZRT_SLICE),
            "it makes a slice of a whole; both are the whole bucket, a slice "
            "or a part");
  EXPECT_EQ(message(ZRT_F32, ZRT_SLICE_OF_WHOLE, ZRT_BF16, ZRT_SLICE_OF_WHOLE),
            "it makes a slice of whole of a slice of whole; both are the whole "
            "bucket, a slice or a part");
  EXPECT_EQ(message(ZRT_F32, ZRT_WHOLE, ZRT_F32, ZRT_WHOLE),
            "f32 has no fewer bits than f32");
  EXPECT_EQ(message(ZRT_BF16, ZRT_WHOLE, ZRT_F16, ZRT_WHOLE),
            "f16 has no fewer bits than bf16");
  EXPECT_EQ(message(ZRT_BLOCK8, ZRT_WHOLE, ZRT_BLOCK4, ZRT_WHOLE),
            "block<4> has no fewer bits than block<8>");
  EXPECT_EQ(message(ZRT_F32, ZRT_WHOLE, ZRT_BLOCK8, ZRT_WHOLE, 260),
            "result: it is whole of block<8>, hence 1024 elements, but its 780 "
            "bytes hold 768");
}

TEST(Tables, CopiesFitAndChangeNoType) {
  EXPECT_EQ(refusal([](Table &table) {
              table.copy(ZRT_H2D, deviceRef(0, 16), deviceRef(64, 8));
            }),
            "copy: a copy of 16 bytes goes to a range of 8 bytes");
  const zrt_copy_desc desc = {"copy", tensor(deviceRef(0, 8)),
                              tensor(deviceRef(64, 8), ZRT_BF16)};
  EXPECT_EQ(refusal([&](Table &table) { table.add(ZRT_COPY, 0, &desc); }),
            "copy: a copy changes no type, got f32 and bf16");
}

//===----------------------------------------------------------------------===//
// Altered operands
//===----------------------------------------------------------------------===//

/// One operation of each kind, for two ranks, with operands that tests change.
struct Operations {
  const zrt_ref all = exportedRef(0, 256), half = deviceRef(4096, 128);
  zrt_operand launchArgs[2] = {tensor(half), scalar(deviceRef(0, 4))};
  zrt_operand updateArgs[3] = {sliceOfWhole(all), slice(half),
                               scalar(deviceRef(0, 4))};
  zrt_matmul_desc product = {"c_fc.3",
                             0,
                             0,
                             1,
                             0,
                             1,
                             4,
                             4,
                             4,
                             0,
                             0,
                             0,
                             tensor(deviceRef(0, 64)),
                             tensor(deviceRef(64, 64)),
                             tensor(deviceRef(128, 16)),
                             tensor(deviceRef(192, 64)),
                             1,
                             ZRT_UNPACKED,
                             0};
  zrt_operand ofW[2] = {tensor(deviceRef(512, 48)), tensor(deviceRef(576, 48))};
  zrt_grouped_desc grouped = {"experts.3",
                              0,
                              0,
                              2,
                              0,
                              5,
                              3,
                              4,
                              tensor(deviceRef(0, 80)),
                              tensor(deviceRef(128, 60)),
                              tensor(deviceRef(256, 12), ZRT_I32),
                              ofW};
  zrt_launch_desc launch = {"gelu.1", noKernel, 1, 1, 2, 0, launchArgs};
  zrt_update_desc update = {"sgd of b0", 0, 3, noKernel, noKernel,
                            updateArgs,  0, 0, 0,        0};
  zrt_squares_desc squares = {"norm of b0", 0, 0, sliceOfWhole(all),
                              tensor(deviceRef(1024, 16), ZRT_F64)};
  zrt_collective_desc gather =
      collectiveWith("all_gather of b0", ZRT_ALL_GATHER, 64, 128,
                     sliceOfWhole(all), whole(all));
  zrt_collective_desc reduce =
      collectiveWith("reduce_scatter of b0", ZRT_REDUCE_SCATTER, 64, 128,
                     whole(all), slice(half));
  zrt_collective_desc norm =
      collectiveWith("all_reduce of norm", ZRT_ALL_REDUCE, 2, 8,
                     tensor(deviceRef(0, 8)), tensor(deviceRef(64, 8)));
  zrt_copy_desc copy = {"copy", tensor(deviceRef(0, 64)),
                        tensor(deviceRef(64, 64))};

  zrt_op ops[9] = {{ZRT_LAUNCH, 0, &launch},     {ZRT_MATMUL, 0, &product},
                   {ZRT_UPDATE, 0, &update},     {ZRT_SQUARES, 0, &squares},
                   {ZRT_COLLECTIVE, 1, &gather}, {ZRT_COLLECTIVE, 2, &reduce},
                   {ZRT_COLLECTIVE, 2, &norm},   {ZRT_COPY, 3, &copy},
                   {ZRT_GROUPED, 0, &grouped}};
};

/// Returns why a plan of one operation is refused: by the checks of tables, the
/// CPU or the transport; "" if it is not.
std::string messageOf(const zrt_op &op) {
  zrt_plan plan = planOfStep(Table().add(op.kind, op.stream, op.descriptor));
  // As at the start of ranks, but without memory.
  return errorOf([&] {
    checkTables(plan);
    ChaosDelays chaos(0);
    const CpuDevice device(testPlan(Table(), 4096));
    plan.world_size = 1;
    const Transport transport(plan, {}, nullptr, chaos);
    checkEach(plan, [&](const zrt_op &one) {
      if (one.kind == ZRT_COLLECTIVE && op.kind == ZRT_COLLECTIVE)
        transport.check(collectiveOf(one));
      else
        device.check(one);
    });
  });
}

/// Returns true if an accepted change does not change the operation.
bool meansTheSame(uint32_t kind, const zrt_operand &was,
                  const zrt_operand &is) {
  const auto isAll = [](uint32_t extent) {
    return extent == ZRT_MEMBERS || extent == ZRT_WHOLE || extent == ZRT_SLICE;
  };
  // Kernels have their types in their code, and get addresses; for a whole
  // operand, all bytes are the same whatever the type.
  const bool isKernels = kind == ZRT_LAUNCH || kind == ZRT_UPDATE;
  const bool sameType =
      was.dtype == is.dtype ||
      (isKernels &&
       (kind == ZRT_LAUNCH || dtypeBytes(was.dtype) == dtypeBytes(is.dtype)));
  const bool sameExtent =
      was.extent == is.extent ||
      (kind != ZRT_UPDATE && kind != ZRT_COLLECTIVE && isAll(was.extent) &&
       isAll(is.extent)) ||
      // A scalar is a tensor of one element.
      (kind == ZRT_LAUNCH && was.extent == ZRT_SCALAR && isAll(is.extent));
  return sameType && sameExtent;
}

TEST(Tables, AnAlteredOperandIsRefusedOrMeansTheSame) {
  Operations operations;
  int refused = 0, accepted = 0;
  for (zrt_op &op : operations.ops) {
    ASSERT_EQ(messageOf(op), "");
    forEachOperand(op, [&](const std::string &what, const zrt_operand &one) {
      auto &operand = const_cast<zrt_operand &>(one);
      const zrt_operand was = operand;
      const auto look = [&] {
        const std::string message = messageOf(op);
        (message.empty() ? accepted : refused) += 1;
        if (message.empty()) {
          EXPECT_TRUE(meansTheSame(op.kind, was, operand))
              << nameOf(op) << ", " << what << ": " << operandText(operand)
              << " was " << operandText(was);
        } else {
          EXPECT_EQ(message.find("program step, operation 0, "), 0u) << message;
        }
        operand = was;
      };
      for (uint32_t extent = 0; extent <= ZRT_EXTENT_END; ++extent)
        if (extent != was.extent) {
          operand.extent = extent;
          look();
        }
      for (zrt_dtype dtype = 0; dtype <= ZRT_I1 + 1; ++dtype)
        if (dtype != was.dtype) {
          operand.dtype = dtype;
          look();
        }
      for (const uint32_t tier : {ZRT_HOST, ZRT_NVME, ZRT_TIER_COUNT}) {
        operand.ref.tier = tier;
        look();
      }
    });
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(accepted, 20);
}

TEST(Tables, StreamsAreOfAClass) {
  zrt_plan plan = planOfStep(Table());
  plan.stream_count = ZRT_MAX_STREAMS + 1;
  EXPECT_EQ(errorOf([&] { checkTables(plan); }),
            "the plan has 17 streams; 16 are the most");
  zrt_stream_desc stream = {"odd", ZRT_STREAM_CLASS_COUNT, 0};
  plan.streams = &stream;
  plan.stream_count = 1;
  EXPECT_EQ(errorOf([&] { checkTables(plan); }),
            "stream odd: class 11 does not exist");
  stream.name = nullptr;
  EXPECT_EQ(errorOf([&] { checkTables(plan); }), "stream 0 has no name");
}

TEST(Tables, MayHaveSeveralStreamsOfAClass) {
  // Each run adds to the result of the previous one.
  const auto addOne = [](void *const *args, int64_t, int64_t) {
    ++*static_cast<int32_t *>(args[0]);
  };
  const zrt_stream_desc streams[] = {{"left", ZRT_COMPUTE, 0},
                                     {"right", ZRT_COMPUTE, 0}};
  const zrt_operand number = scalar(deviceRef(0, 4), ZRT_I32);
  zrt_plan plan = testPlan(Table()
                               .launch(1, "add.0", addOne, 1, 1, {number})
                               .record(1, 0)
                               .wait(0, 0)
                               .launch(0, "add.1", addOne, 1, 1, {number}));
  plan.streams = streams;
  plan.stream_count = 2;
  const ContextPtr ctx = zrt::create(plan, /*threads=*/3);
  ASSERT_EQ(zrt_run(ctx.get(), ZRT_STEP), 0) << zrt_error_message(ctx.get());
  EXPECT_EQ(*memoryOf<int32_t>(ctx, number.ref), 2);
  EXPECT_EQ(zrt_threads(ctx.get()), 3);
}

//===----------------------------------------------------------------------===//
// Refusals of a transport
//===----------------------------------------------------------------------===//

/// Returns why a plan of `desc` is refused, before any step.
std::string collectiveRefusal(const zrt_collective_desc &desc) {
  std::string message;
  const zrt_plan plan = ranksPlan(2, Table().collective(ZRT_REDUCE, desc));
  runRanks(2, [&](World &world) {
    zrt_world handle = {world};
    const ContextPtr ctx = zrt::create(plan, 1, &handle);
    if (world.rank() == 0)
      message = zrt_error_message(ctx.get());
  });
  const std::string place = "program step, operation 0, it: ";
  EXPECT_EQ(message.substr(0, place.size()), place);
  return message.substr(std::min(place.size(), message.size()));
}

TEST(Collective, RefusesWhatItCannotDo) {
  const zrt_collective_desc good =
      collectiveWith("it", ZRT_REDUCE_SCATTER, 64, 128,
                     whole(exportedRef(0, 256)), slice(exportedRef(4096, 128)));
  zrt_collective_desc bad = good;
  bad.elements = 63;
  bad.source.ref.bytes = 252;
  bad.result.ref.bytes = 124;
  EXPECT_EQ(collectiveRefusal(bad),
            "63 elements cannot be dealt out to 2 ranks; pad the bucket");
  bad = good;
  bad.result.ref.bytes = 64;
  EXPECT_EQ(collectiveRefusal(bad),
            "result: it is slice of f32, hence 32 elements, but its 64 bytes "
            "hold 16");
  bad = good;
  bad.source.extent = ZRT_SLICE_OF_WHOLE;
  EXPECT_EQ(collectiveRefusal(bad),
            "source: it is slice of whole, which is not what reduce_scatter "
            "needs");
  bad = good;
  bad.result.ref = exportedRef(128, 128);
  EXPECT_EQ(collectiveRefusal(bad), "source and result share bytes; let both "
                                    "hold the whole, or none");
  bad = good;
  bad.result = sliceOfWhole(bad.source.ref);
  bad.accumulate = 1;
  EXPECT_EQ(collectiveRefusal(bad), "it cannot accumulate in place");
  bad = good;
  bad.order = ZRT_IN_TREE;
  bad.accumulate = 1;
  EXPECT_EQ(collectiveRefusal(bad), "it adds in order 1 over 2 ranks; a tree "
                                    "has a power of two of them");
  bad.order = ZRT_IN_TREE_OF_SLICES;
  bad.accumulate = 0;
  EXPECT_HAS(collectiveRefusal(bad), "it adds in order 2 over 2 ranks");
  bad.order = 7;
  EXPECT_HAS(collectiveRefusal(bad), "it adds in order 7 over 2 ranks");
  bad = good;
  bad.source.ref = deviceRef(0, 256);
  EXPECT_EQ(collectiveRefusal(bad),
            "peers cannot read its source at offset 0 of tier device; the plan "
            "exports the device arena from 65536 on");
  bad = good;
  bad.source.dtype = bad.result.dtype = ZRT_I32;
  EXPECT_EQ(collectiveRefusal(bad),
            "source: it is i32, and a reduce_scatter adds f32, bf16 or f16");
  bad = good;
  bad.kind = 9;
  EXPECT_EQ(collectiveRefusal(bad), "collective 9 does not exist");
  bad = good;
  bad.kind = ZRT_ALL_REDUCE;
  bad.source.extent = bad.result.extent = ZRT_MEMBERS;
  EXPECT_EQ(collectiveRefusal(bad),
            "an all_reduce is of at most 64 bytes, got 256 bytes");
  bad.source = tensor(exportedRef(0, 16), ZRT_F64);
  bad.result = tensor(exportedRef(64, 16));
  bad.elements = 2;
  EXPECT_EQ(collectiveRefusal(bad),
            "2 elements, but its source has 2 of f64 and its result 4 of f32");
}

TEST(Collective, RefusesTypesThatItCannotAdd) {
  const auto refusal = [](uint32_t kind, zrt_dtype from, zrt_dtype to,
                          bool accumulate = false) {
    zrt_collective_desc desc = {};
    desc.name = "it";
    desc.kind = kind;
    desc.elements = kind == ZRT_ALL_REDUCE ? 2 : 64;
    desc.scale = 1;
    desc.accumulate = accumulate;
    const uint64_t all = desc.elements;
    const auto at = [](uint64_t offset, uint64_t count, zrt_dtype dtype) {
      return exportedRef(offset, count * dtypeBytes(dtype));
    };
    if (kind == ZRT_ALL_REDUCE) {
      desc.source = tensor(at(0, all, from), from);
      desc.result = tensor(at(4096, all, to), to);
    } else if (kind == ZRT_ALL_GATHER) {
      desc.source = slice(at(0, all / 2, from), from);
      desc.result = whole(at(4096, all, to), to);
    } else {
      desc.source = whole(at(0, all, from), from);
      desc.result = slice(at(4096, all / 2, to), to);
    }
    return collectiveRefusal(desc);
  };
  EXPECT_EQ(refusal(ZRT_REDUCE_SCATTER, ZRT_BF16, ZRT_F16),
            "result: it is f16, and a sum of bf16 is that or f32");
  EXPECT_EQ(refusal(ZRT_REDUCE_SCATTER, ZRT_F32, ZRT_BF16),
            "result: it is bf16, and a sum of f32 is the same");
  EXPECT_EQ(refusal(ZRT_REDUCE_SCATTER, ZRT_F64, ZRT_F64),
            "source: it is f64, and a reduce_scatter adds f32, bf16 or f16");
  EXPECT_EQ(refusal(ZRT_ALL_GATHER, ZRT_BF16, ZRT_F32),
            "result: it is f32, and a copy of bf16 is the same");
  EXPECT_EQ(refusal(ZRT_ALL_REDUCE, ZRT_BF16, ZRT_BF16),
            "source: it is bf16, and an all_reduce adds f32 or f64");

  // Blocks have sums of numbers, in rank order.
  for (const auto &[to, order] : {std::pair(ZRT_F32, ZRT_IN_TREE),
                                  std::pair(ZRT_F64, ZRT_IN_RANK_ORDER)}) {
    zrt_collective_desc blocks =
        collectiveWith("it", ZRT_REDUCE_SCATTER, 1024, 520,
                       whole(exportedRef(0, 1040), ZRT_BLOCK8),
                       slice(exportedRef(4096, 512 * dtypeBytes(to)), to));
    blocks.order = order;
    EXPECT_EQ(collectiveRefusal(blocks),
              fmt::format("result: it is {}, and a sum of block<8> is f32, "
                          "bf16 or f16, in rank order",
                          dtypeName(to)));
  }

  // A slice of f32 may have as many bytes as a whole of bf16, and the same
  // place.
  zrt_collective_desc desc = collectiveWith(
      "it", ZRT_REDUCE_SCATTER, 64, 64, whole(exportedRef(0, 128), ZRT_BF16),
      slice(exportedRef(0, 128)));
  EXPECT_EQ(collectiveRefusal(desc), "source and result share bytes; let both "
                                     "hold the whole, or none");
}

//===----------------------------------------------------------------------===//
// Ranks in groups
//===----------------------------------------------------------------------===//

/// Returns why a plan of four ranks in two groups is refused after `change`.
template <typename Change>
std::string groupsRefusal(const Table &step, Change change) {
  zrt_plan plan = planOfStep(step);
  plan.world_size = 4;
  plan.group_size = 2;
  change(plan);
  return errorOf([&] { checkPlan(plan); });
}

TEST(Groups, DivideTheRanks) {
  const auto error = [](uint32_t size, uint32_t perHost) {
    return groupsRefusal(Table(), [&](zrt_plan &plan) {
      plan.group_size = size;
      plan.ranks_per_host = perHost;
    });
  };
  EXPECT_EQ(error(0, 0), "");
  EXPECT_EQ(error(2, 0), "");
  EXPECT_EQ(error(2, 2), "");
  EXPECT_EQ(error(1, 0), "the plan has groups of 1; they have 2 or more of its "
                         "4 ranks, and divide these");
  EXPECT_HAS(error(3, 0), "the plan has groups of 3;");
  EXPECT_HAS(error(4, 0), "the plan has groups of 4;");
  EXPECT_EQ(error(2, 4), "the plan has 4 ranks on a host and groups of 2; both "
                         "are the same");
  EXPECT_HAS(error(0, 2), "the plan has 2 ranks on a host and groups of 0;");
}

TEST(Groups, StatesAreWholePartsOrSlices) {
  const auto error = [](uint32_t extent, uint64_t bytes, uint32_t size = 2) {
    const zrt_state state = {"m", 0, ZRT_F32, extent, 0, deviceRef(0, bytes)};
    return groupsRefusal(Table(), [&](zrt_plan &plan) {
      plan.group_size = size;
      plan.states = &state;
      plan.state_count = 1;
    });
  };
  EXPECT_EQ(error(ZRT_WHOLE, 256), "");
  EXPECT_EQ(error(ZRT_PART, 128), "");
  EXPECT_EQ(error(ZRT_SLICE, 64), "");
  EXPECT_EQ(error(ZRT_PART, 124),
            "state \"m\" of bucket 0: 32 elements of 4 bytes need more than "
            "its 124 bytes");
  EXPECT_EQ(error(ZRT_SLICE_OF_WHOLE, 256),
            "state \"m\" of bucket 0: it is slice of whole; a state is whole, "
            "a slice or a part");
  EXPECT_EQ(error(ZRT_PART, 256, 0),
            "state \"m\" of bucket 0: it is part; a state is whole, a slice "
            "or, in groups, a part");
}

TEST(Plans, AreCheckedAsAWhole) {
  const auto error = [](auto change) { return groupsRefusal(Table(), change); };
  EXPECT_EQ(
      error([](zrt_plan &plan) { plan.world_size = plan.group_size = 0; }),
      "the plan is for 0 ranks");
  EXPECT_EQ(
      error([](zrt_plan &plan) { plan.programs[ZRT_STEP].ops = nullptr; }),
      "the plan has no step");
  EXPECT_EQ(error([](zrt_plan &plan) { plan.virtual_shards = 6; }),
            "the plan has 6 virtual shards on 4 ranks; they are a power of "
            "two, and dealt out evenly");
  EXPECT_EQ(error([](zrt_plan &plan) { plan.virtual_shards = 128; }),
            "bucket b0: its 64 elements are not 128 virtual shards of one "
            "size");
  EXPECT_HAS(error([](zrt_plan &plan) { plan.exported_begin = 100; }),
             "the plan exports the device arena from 100 on; that must be a "
             "multiple of 4096, or the arena's ");
  const auto stateError = [&](uint32_t bucket, uint32_t dtype) {
    const zrt_state state = {"m",       bucket, dtype,
                             ZRT_WHOLE, 0,      deviceRef(0, 256)};
    return error([&](zrt_plan &plan) {
      plan.states = &state;
      plan.state_count = 1;
    });
  };
  EXPECT_EQ(stateError(7, ZRT_F32),
            "state \"m\" of bucket 7: the plan has 1 buckets");
  EXPECT_EQ(stateError(0, 99), "state \"m\" of bucket 0: dtype 99 does not "
                               "exist");
}

/// The same for a collective of a bucket of 64 elements.
std::string overRefusal(uint32_t kind, uint32_t over, const zrt_operand &source,
                        const zrt_operand &result, uint32_t size = 2) {
  zrt_collective_desc desc = collectiveWith("it", kind, 64, 0, source, result);
  desc.over = over;
  const std::string message =
      groupsRefusal(Table().collective(ZRT_GATHER, desc),
                    [&](zrt_plan &plan) { plan.group_size = size; });
  const std::string place = "program step, operation 0, it: ";
  return message.substr(0, place.size()) == place ? message.substr(place.size())
                                                  : message;
}

TEST(Groups, CollectivesAreOverMembersOrGroups) {
  const zrt_operand all = whole(exportedRef(0, 256)),
                    half = part(exportedRef(1024, 128)),
                    own = slice(exportedRef(2048, 64));
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, half, all), "");
  EXPECT_EQ(overRefusal(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, half, own), "");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_ALL, own, all, 0), "");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_ALL, own, all),
            "it is over all ranks, and in a plan with groups an all_gather is "
            "over members or groups");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_GROUPS, own, all, 0),
            "it is over groups, and the plan has no groups");
  EXPECT_EQ(overRefusal(ZRT_ALL_REDUCE, ZRT_OVER_MEMBERS, all, all),
            "it is over members, and an all_reduce is over all ranks");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, 4, own, all),
            "it is over 4, and 3 is the last that exists");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_CONTEXT, own, all),
            "it is an all_gather over context; an all_to_all is over context, "
            "and nothing else is");
  EXPECT_EQ(overRefusal(ZRT_ALL_TO_ALL, ZRT_OVER_MEMBERS, all, all),
            "it is an all_to_all over members; an all_to_all is over context, "
            "and nothing else is");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS,
                        part(exportedRef(1024, 64)), all),
            "source: it is part of f32, hence 32 elements, but its 64 bytes "
            "hold 16");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_GROUPS,
                        sliceOfPart(exportedRef(1024, 64)), half),
            "source: it is slice of part of f32, hence 32 elements, but its 64 "
            "bytes hold 16");
  EXPECT_EQ(overRefusal(ZRT_ALL_GATHER, ZRT_OVER_ALL, half, all, 0),
            "source: it is part, and the plan has no groups");
}

TEST(Groups, CollectivesHoldWhatTheirRanksExchange) {
  // The transport checks these, when the ranks are connected.
  const auto error = [](uint32_t kind, uint32_t over, const zrt_operand &source,
                        const zrt_operand &result) {
    zrt_collective_desc desc =
        collectiveWith("it", kind, 64, 0, source, result);
    desc.over = over;
    zrt_plan plan = ranksPlan(1, Table());
    ChaosDelays chaos(0);
    const Transport transport(plan, {}, nullptr, chaos);
    return errorOf([&] { transport.check(desc); });
  };
  const zrt_operand all = whole(exportedRef(0, 256)),
                    own = slice(exportedRef(2048, 64)),
                    half = part(exportedRef(1024, 128));
  EXPECT_EQ(error(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, half, all), "");
  EXPECT_EQ(error(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, own, all),
            "source: it is slice, which is not what all_gather over members "
            "needs");
  EXPECT_EQ(error(ZRT_ALL_GATHER, ZRT_OVER_MEMBERS, half, half),
            "result: it is part, which is not what all_gather over members "
            "needs");
  EXPECT_EQ(error(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, all, own),
            "source: it is whole, which is not what reduce_scatter over groups "
            "needs");
  EXPECT_EQ(error(ZRT_REDUCE_SCATTER, ZRT_OVER_GROUPS, half, half),
            "result: it is part, which is not what reduce_scatter over groups "
            "needs");
  EXPECT_EQ(error(ZRT_REDUCE_SCATTER, ZRT_OVER_ALL, all, half),
            "result: it is part, which is not what reduce_scatter needs");
  const zrt_operand heads = tensor(exportedRef(0, 256), ZRT_F32),
                    others = tensor(exportedRef(4096, 256), ZRT_F32),
                    fewer = tensor(exportedRef(4096, 128), ZRT_F32);
  EXPECT_EQ(error(ZRT_ALL_TO_ALL, ZRT_OVER_CONTEXT, heads, others), "");
  EXPECT_EQ(error(ZRT_ALL_TO_ALL, ZRT_OVER_CONTEXT, all, others),
            "source: it is whole, which is not what all_to_all over context "
            "needs");
  EXPECT_EQ(error(ZRT_ALL_TO_ALL, ZRT_OVER_CONTEXT, heads, heads),
            "64 elements for 1 ranks, apart from its source of 64 and its "
            "result of 64");
  EXPECT_EQ(error(ZRT_ALL_TO_ALL, ZRT_OVER_CONTEXT, heads, fewer),
            "64 elements for 1 ranks, apart from its source of 64 and its "
            "result of 32");
}

TEST(Groups, UpdatesAndNormsAreOfSlices) {
  const auto error = [](const zrt_operand &operand) {
    const zrt_operand args[] = {operand, operand};
    return groupsRefusal(
        Table().update(ZRT_COMPUTE,
                       {"it", 0, 2, noKernel, noKernel, args, 0, 0, 0, 0}),
        [](zrt_plan &) {});
  };
  EXPECT_EQ(error(sliceOfPart(deviceRef(0, 128))), "");
  EXPECT_HAS(error(part(deviceRef(0, 128))), "operand 0 is part; an update");
  EXPECT_HAS(error(partOfWhole(deviceRef(0, 256))),
             "operand 0 is part of whole; an update");
  const auto norm = [](const zrt_operand &grad) {
    return groupsRefusal(
        Table().squares(ZRT_COMPUTE, {"it", 0, 0, grad,
                                      tensor(deviceRef(1024, 64), ZRT_F64)}),
        [](zrt_plan &) {});
  };
  EXPECT_EQ(norm(sliceOfPart(deviceRef(0, 128))), "");
  EXPECT_HAS(norm(part(deviceRef(0, 128))),
             "gradient: it is part, and squares");
}

TEST(Groups, ACopyOfAShareHasThatOnItsOtherSide) {
  const auto error = [](uint32_t from, uint64_t bytes, uint32_t to,
                        uint64_t room) {
    const zrt_copy_desc desc = {"it",
                                {deviceRef(0, bytes), ZRT_F32, from},
                                {deviceRef(4096, room), ZRT_F32, to}};
    return groupsRefusal(Table().add(ZRT_COPY, ZRT_COMPUTE, &desc),
                         [](zrt_plan &) {});
  };
  EXPECT_EQ(error(ZRT_PART_OF_WHOLE, 256, ZRT_PART, 128), "");
  EXPECT_EQ(error(ZRT_SLICE_OF_PART, 128, ZRT_SLICE, 64), "");
  EXPECT_EQ(error(ZRT_SLICE, 64, ZRT_SLICE_OF_PART, 128), "");
  EXPECT_HAS(
      error(ZRT_PART_OF_WHOLE, 256, ZRT_SLICE, 128),
      "a copy of a part of whole has a part on its other side, got slice");
  EXPECT_HAS(
      error(ZRT_PART, 128, ZRT_SLICE_OF_PART, 128),
      "a copy of a slice of part has a slice on its other side, got part");
}

} // namespace
