"""Prints a plan in which rank 1 runs a copy of @step as @step."""
import re
import sys

text = open(sys.argv[1]).read()
step = re.search(r"^  zero\.program @step\(.*?^  }\n", text, re.S | re.M)[0]
head, body = step.split(" {\n", 1)
copy = head.replace("@step(", "@step_of_1(") + ' attributes {program = "step", rank = 1 : i64} {\n'
print(text.replace(step, step + copy + body))
