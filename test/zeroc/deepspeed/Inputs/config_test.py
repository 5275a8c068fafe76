"""The format of these tests: each config is one."""
import lit.formats
import lit.TestRunner


class ConfigTest(lit.formats.ShTest):
    """A config without RUN lines is read without other options, and refused if it expects an error."""

    def execute(self, test, lit_config):
        with open(test.getSourcePath()) as file:
            text = file.read()
        if "RUN:" in text:
            return super().execute(test, lit_config)
        refused = "not " if "CHECK: zeroc: error:" in text else ""
        return lit.TestRunner.executeShTest(test, lit_config, self.execute_external, [],
                                            [f"{refused}%ds%s 2>&1 | FileCheck %s"])
