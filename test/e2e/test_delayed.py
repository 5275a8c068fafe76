"""Updates during the whole next step: which parameters a step uses.  test_plans.py compares the
bits of such plans."""
import array

import support

VOCAB = support.SMALL["vocab_size"]
PLACES = ("cpu", "nvme")
BATCH, SEQ = 2, 16


class Delayed(support.Outcomes):
    def delayed(self, place, *options, **kind):
        return self.outcome(f"--offload-optimizer={place}", "--delayed-update", *options, **kind)

    def test_each_step_computes_one_update_late(self):
        """Step s + 1 computes with the parameters of step s, and step s + 2 has its update.

        The same is put together from runs of one step: what such a run changes is the update of
        its batch, by its own norm and rate.
        """
        steps, lr, warmup = 6, 0.5, 4
        options = ("--optimizer=sgd", "--momentum=0", "--weight-decay=0", "--grad-clip=0.5")
        data, at = self.folder / "all.u16", self.folder / "at.safetensors"
        support.write_tokens(data, 1200, VOCAB)
        text = array.array("H", data.read_bytes())
        late = support.compile_gpt2(support.SMALL, BATCH, SEQ, *options, "--offload-optimizer=cpu",
                                    "--delayed-update")
        lines, saved = self.train(late, data, steps, lr, "--warmup", warmup,
                                  name="late")
        one = support.compile_gpt2(support.SMALL, BATCH, SEQ, *options)
        _, initial = self.train(late, data, 0, lr, name="initial")
        weights, pending = support.read_safetensors(initial), None
        for step, line in enumerate(lines):
            support.write_safetensors(at, weights)
            first = step * BATCH * SEQ
            batch = self.folder / "batch.u16"
            batch.write_bytes(text[first:first + BATCH * SEQ + 1].tobytes())
            (alone,), after = self.train(one, batch, 1, line["lr"], "--init",
                                         at, name="one")
            self.assert_close(line["loss"], alone["loss"], 1e-6, f"loss of step {step}")
            self.assert_close(line["grad_norm"], alone["grad_norm"], 1e-5, f"norm of step {step}")
            self.assertGreater(line["grad_norm"], 0.5)  # it is clipped
            update = {name: [b - a for a, b in zip(weights[name][1], tensor)]
                      for name, (_, tensor) in support.read_safetensors(after).items()}
            weights, pending = self.updated(weights, pending), update
        support.write_safetensors(at, self.updated(weights, pending))
        self.assert_weights_close(saved, at, 1e-5)
        self.assertNotEqual([line["loss"] for line in lines],
                            [line["loss"] for line in
                             self.train(one, data, steps, lr, "--warmup", warmup,
                                        name="usual")[0]])

    def updated(self, weights, update):
        if update is None:
            return weights
        return {name: (shape, array.array("f", (a + d for a, d in zip(values, update[name]))))
                for name, (shape, values) in weights.items()}

    def test_one_step_is_the_usual_one(self):
        """No update is delayed yet, and the only update is not lost."""
        for steps in (0, 1):
            self.check_same_bits([("usual", self.outcome("--precision=bf16", steps=steps))] +
                                 [(place, self.delayed(place, "--precision=bf16", steps=steps))
                                  for place in PLACES])
