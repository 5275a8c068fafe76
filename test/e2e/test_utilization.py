"""--utilization: the share of the machine's product rate that steps reach."""
import json

import support


class Utilization(support.Case):
    def test_is_flops_by_time(self):
        """Uses one rate, measured at the start: utilization times step time is the same in all
        steps."""
        data = self.folder / "data.u16"
        support.write_tokens(data, 1500, support.SMALL["vocab_size"])
        for ranks, options in ((1, ()), (1, ("--precision=bf16", "--accumulate=3")),
                               (2, ("--precision=fp16", "--accumulate=2", "--accumulate-order=block", "--stage=3"))):
            with self.subTest(options, ranks=ranks):
                binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}", *options)
                lines, _ = self.train(binary, data, 5, 1e-3, "--utilization", "--tensorboard", self.folder / "tb",
                                      ranks=ranks)
                for name in ("mfu", "hfu"):
                    products = [line[name] * line["step_ms"] for line in lines]
                    self.assertGreater(min(products), 0)
                    for product in products:
                        self.assert_close(product, products[0], 1e-7, "flops by rate")
                lines, _ = self.train(binary, data, 2, 1e-3, ranks=ranks)
                self.assertNotIn("mfu", lines[0])

    def test_flops(self):
        """The model's flops do not depend on the plan, and include attention."""
        model = support.import_model(support.SMALL, 2, 16)

        def flops(*options):
            done = self.run_ok(support.ZEROC, model, "--certificate=json", "-o", self.folder / "train", *options)
            found = json.loads(done.out)["flops"]
            return found["model"], found["executed"]

        tokens, width, seen = 2 * 16, 16, 2 * 16 * 17 // 2
        forward = 2 * tokens * width * (12 * width + support.SMALL["vocab_size"]) + 2 * 2 * seen * width
        plain = flops()
        # Additions to products are counted, too.
        self.assert_close(plain[0], 3 * forward, 0.01, "model")
        self.assertEqual(plain[1] - plain[0], 2 * seen * width)
        again = flops("--remat=block")
        self.assertEqual(again[0], plain[0])
        self.assertGreater(again[1], plain[1])
        for order in ("batch", "block"):
            for found, one in zip(flops("--accumulate=3", f"--accumulate-order={order}"), plain):
                self.assert_close(found, 3 * one, 0.02, order)
        done = self.run_ok(support.compile_model(model, "--remat=block"), "--data", self.write("text.txt", support.TEXT),
                           "--steps", 4, "--lr", 1e-3, "--utilization")
        self.assertRegex(done.out, r"MFU \d+\.\d %, HFU \d+\.\d % of the \d+ GFLOP/s that the products of a rank reach")

    def test_without_products(self):
        """A reference has loops instead of products."""
        data = self.folder / "data.u16"
        support.write_tokens(data, 1500, support.SMALL["vocab_size"])
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--reference")
        done = support.run(binary, "--data", data, "--steps", 1, "--lr", 1, "--utilization")
        self.assert_refused(done, "--utilization: this plan has no matmuls")
