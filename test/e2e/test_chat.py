"""zeroc chat, in a terminal: answers as they come, Ctrl-C, history, /reset."""
import signal

import generating
from terminal import Terminal

UP = "\x10"  # Ctrl-P


class Chat(generating.GeneratingCase):
    positions = 4000

    def talk(self, *options):
        terminal = Terminal(self.command("chat", self.base, *options), self.inherited(), self.folder)
        self.addCleanup(lambda: terminal.child.poll() is None and terminal.child.kill())
        terminal.wait_for("> ")
        return terminal

    def say(self, terminal, text):
        """Returns the answer to a text."""
        terminal.type(text + "\n")
        terminal.wait_for(text + "\n")
        return terminal.wait_for("\n> ")

    def chat_ids(self, *turns, system=None):
        text = f"<system>{system}<|im_end|>" if system else ""
        for i, turn in enumerate(turns):
            text += f"<{('user', 'assistant')[i % 2]}>{turn}<|im_end|>"
        return self.ids(text + "<assistant>")

    def test_turns(self):
        """Each turn has the chat before it; /reset drops that, but for --system."""
        self.says("Hello", "Fine.\nAnd you?", "Anew")
        terminal = self.talk("--system=Be short", "--temperature=0")
        self.assertEqual(self.say(terminal, "Hi"), "Hello")
        self.assertEqual(self.say(terminal, "How?"), "Fine.\nAnd you?")
        self.assertIn("Ctrl-C", self.say(terminal, "/help"))
        self.assertEqual(self.say(terminal, "/x y"), "[/x is no command; see /help]")
        terminal.type("/reset\n")
        terminal.wait_for("> ")
        self.assertEqual(self.say(terminal, "Hi"), "Anew")
        terminal.type("\x04")
        self.assertEqual(terminal.close(), 0)
        imported, compiled, run, *requests = self.logged()
        self.assertIn("--batch=1", imported)
        self.assertEqual([request["ids"] for request in requests], [
            self.chat_ids(*turns, system="Be short")
            for turns in (("Hi",), ("Hi", "Hello", "How?"), ("Hi",))])
        self.assertEqual([request["temperature"] for request in requests], [0, 0, 0])
        self.assertNotIn("max", requests[0])

    def test_an_answer_comes_as_it_is_made(self):
        """Without broken characters, and without what a terminal obeys."""
        self.says({"text": "la\U0001f600 "}, "\x1b[2Jred\x9b")
        terminal = self.talk()
        terminal.type("Sing\n")
        for _ in range(50):
            shown = terminal.wait_for("\U0001f600 ")
            self.assertNotIn("\ufffd", shown)
        terminal.type("\x03")
        terminal.wait_for("\n> ")
        self.assertEqual(self.say(terminal, "Colour"), "\\x1b[2Jred\\x9b")

    def test_interrupts(self):
        """Ctrl-C ends the answer, and what it has said stays; at the prompt it drops the line."""
        self.says({"text": "na "}, "ok", {"text": "na "}, "still")
        terminal = self.talk()
        terminal.type("Sing\n")
        terminal.wait_for("na na na")
        terminal.type("\x03\x03")
        sung = "na na na" + terminal.wait_for("\n> ").replace("^C", "")
        self.assertEqual(self.say(terminal, "Thanks"), "ok")
        terminal.type("not this")
        terminal.wait_for("not this")
        for _ in range(60):  # a signal just before Python's readline waits is seen with the next key
            terminal.type("\x03")
            try:
                terminal.wait_for("\n> ", seconds=0.5)
                break
            except AssertionError:
                continue
        terminal.type("Again\n")
        terminal.wait_for("na na")
        terminal.child.send_signal(signal.SIGINT)
        terminal.wait_for("\n> ")
        self.assertEqual(self.say(terminal, "Here?"), "still")
        terminal.type("\x04")
        self.assertEqual(terminal.close(), 0)
        lines = self.requests()
        self.assertEqual([line for line in lines if "stop" in line], [{"stop": 1}, {"stop": 3}])
        second = [line for line in lines if "ids" in line][1]["ids"]
        self.assertEqual(second[:len(self.ids("<user>Sing<|im_end|><assistant>na na"))],
                         self.ids("<user>Sing<|im_end|><assistant>na na"))
        self.assertLess(abs(len(second) - len(self.chat_ids("Sing", sung, "Thanks"))), 4)

    def test_history(self):
        """The keys bring back earlier lines, also of an earlier chat."""
        self.says("one", "two")
        terminal = self.talk()
        self.say(terminal, "first line")
        terminal.type(UP + "\n")
        terminal.wait_for("first line\n")
        self.assertEqual(terminal.wait_for("\n> "), "two")
        terminal.type("\x04")
        terminal.close()
        self.says("three")
        terminal = self.talk()
        terminal.type(UP + "\n")
        terminal.wait_for("first line\n")
        self.assertEqual(terminal.wait_for("\n> "), "three")
        path = self.folder / "cache" / "chat_history"
        terminal.type("\x04")
        terminal.close()
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_ends(self):
        self.says({"text": "abc"}, {"text": "ab", "end": "full"}, {"text": "", "end": "nonfinite"}, "say STOP now")
        terminal = self.talk("--max-tokens=9", "--stop=STOP", "--seq=100")
        self.assertEqual(self.say(terminal, "1"), "abcabcabc\n[--max-tokens=9 tokens; ask it to go on, or raise --max-tokens]")
        self.assertRegex(self.say(terminal, "2"), r"ab\n\[chat and answer have the 100 tokens of --seq; /reset begins anew\]")
        self.assertRegex(self.say(terminal, "3"), "logits are not finite")
        self.assertEqual(self.say(terminal, "/x"), "[/x is no command; see /help]")
        # A chat that is too long is said, and nothing of it is lost.
        self.assertRegex(self.say(terminal, "x" * 99), r"\[the chat has \d+ tokens, and with --seq=100 it has 99 at most; "
                                                       r"shorten the text, begin anew with /reset, or start with a larger")
        self.assertEqual(self.say(terminal, "4"), "say ")

    def test_without_a_terminal(self):
        """Each line is a turn."""
        self.says("one", "two")
        done = self.zeroc_ok("chat", self.base, stdin="Hi\n\n/nothing\nHo\n".encode())
        self.assertEqual(done.out, "one\n[/nothing is no command; see /help]\ntwo\n")
        requests = self.requests()
        self.assertEqual(requests[1]["ids"], self.chat_ids("Hi", "one", "Ho"))

    def test_a_program_that_ends(self):
        self.says("one", {"dies": 9})
        terminal = self.talk()
        self.say(terminal, "Hi")
        terminal.type("Ho\n")
        terminal.wait_for("zeroc: error: the weights are damaged")
        terminal.wait_for("zeroc chat: error: the program that generates ended with status 9")
        self.assertEqual(terminal.close(), 1)

    def test_refusals(self):
        (self.base / "chat_template.jinja").write_text(
            "{% if messages[0].role == 'system' %}{{ raise_exception('no system turns') }}{% endif %}")
        self.assert_refused(self.zeroc("chat", self.base, "--system=x"), "refuses it: no system turns")
        (self.base / "chat_template.jinja").unlink()
        self.assert_refused(self.zeroc("chat", self.base), "has no chat template; name a file with --chat-template, or use "
                            "zeroc generate")
        template = self.write("t.jinja", generating.TEXT)
        self.says("ok")
        done = self.zeroc_ok("chat", self.base, f"--chat-template={template}", stdin=b"Hi\n")
        self.assertEqual(done.out, "ok\n")
        (self.base / "tokenizer_config.json").write_text("{}")
        self.says("ok")
        done = self.zeroc_ok("chat", self.base, f"--chat-template={template}", stdin=b"Hi\n")
        self.assertIn("names no eos_token, so answers end at --seq", done.err)
        self.assert_refused(self.zeroc("chat", self.folder / "none"), "none: no such folder")
