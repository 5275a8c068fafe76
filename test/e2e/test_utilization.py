"""--utilization: how much of the machine's product rate steps reach."""
import support


class Utilization(support.Case):
    def test_is_flops_by_time(self):
        """By one rate, measured at the start: times the step's time it is the same in all steps."""
        data = self.folder / "data.u16"
        support.write_tokens(data, 1500, support.SMALL["vocab_size"])
        for ranks, options in ((1, ()), (1, ("--precision=bf16", "--accumulate=3")),
                               (2, ("--precision=fp16", "--accumulate=2", "--accumulate-order=block", "--stage=3"))):
            with self.subTest(options, ranks=ranks):
                binary = support.compile_gpt2(support.SMALL, 2, 16, f"--world-size={ranks}", *options)
                lines, _ = self.train(binary, data, 5, 1e-3, "--utilization", "--tensorboard", self.folder / "tb",
                                      ranks=ranks)
                products = [line["utilization"] * line["step_ms"] for line in lines]
                self.assertGreater(min(products), 0)
                for product in products:
                    self.assert_close(product, products[0], 1e-7, "flops by rate")
                lines, _ = self.train(binary, data, 2, 1e-3, ranks=ranks)
                self.assertNotIn("utilization", lines[0])

    def test_without_products(self):
        """A reference has loops in their place."""
        data = self.folder / "data.u16"
        support.write_tokens(data, 1500, support.SMALL["vocab_size"])
        binary = support.compile_gpt2(support.SMALL, 2, 16, "--reference")
        done = support.run(binary, "--data", data, "--steps", 1, "--lr", 1, "--utilization")
        self.assert_refused(done, "--utilization: this plan has no matrix products")
