"""Compares modules printed by torch-mlir and JAX with the losses and gradients that PyTorch and JAX
computed for them in float64 (test/foreign)."""
import sys

import support

sys.path.insert(0, str(support.ROOT / "test" / "foreign"))
import check_modules  # noqa: E402

MODULES = support.ROOT / "test" / "foreign" / "modules"


class Foreign(support.Case):
    """One test per module, made below."""


for module in sorted(MODULES.glob("*.mlir")):
    def test(self, module=module):
        check_modules.check(module, self.folder)
    setattr(Foreign, f"test_{module.stem}", test)
assert len(list(MODULES.glob("*.mlir"))) >= 16
