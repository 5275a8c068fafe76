"""Configs of popular models are imported, or refused by what they need: popular.py."""
import json

import popular
import support


class Popular(support.Case):
    def test_each(self):
        for name, (config, says) in popular.CONFIGS.items():
            with self.subTest(name):
                file = self.write("config.json", json.dumps(config))
                done = support.run(support.ZEROC, "import", file, "--batch=1", "--seq=16", "-o", "model.mlir", "--force",
                                   cwd=self.folder)
                if says:
                    self.assert_refused(done, says)
                else:
                    self.assertEqual(done.returncode, 0, done.err)

    def test_other_activation_beside_that_of_gemma(self):
        config = {**popular.CONFIGS["gemma-2-2b"][0], "hidden_act": "silu"}
        done = support.run(support.ZEROC, "import", self.write("config.json", json.dumps(config)), "--batch=1", "--seq=16")
        self.assert_refused(done, "hidden_act is another function than hidden_activation")
