"""Programs for several numbers of ranks, and runs that go on when ranks fail; elastic.py kills at random."""
import collections
import os
import signal
import subprocess
import time

import elastic
import support


class Elastic(support.Case):
    def setUp(self):
        super().setUp()
        self.whole = elastic.Whole(self.folder)
        self.options = elastic.PLANS[0]
        self.bits, self.saved, _ = self.whole.of(self.options)
        self.program = elastic.compile_plans(self.options)
        self.flags = [self.program, *self.whole.flags(self.folder, self.options), *self.whole.saves(self.folder)]

    def check(self, done, *says):
        self.assertEqual(done.returncode, 0, done.err)
        for text in says:
            self.assertIn(text, done.err)
        lines = support.read_metrics(self.folder / "run.jsonl")
        self.assertEqual([line["step"] for line in lines], list(range(elastic.STEPS)))
        self.assertEqual(support.bits_of(lines), self.bits)
        self.assertTrue(support.saved_bytes(self.folder / "saved.safetensors") == self.saved, "weights differ")

    def test_each_number_of_ranks(self):
        flags = self.flags[:1] + self.whole.flags(self.folder, self.options)
        for ranks in 1, 2:
            self.check(support.run(*flags, "--ranks", ranks))
        done = support.run(*support.mpirun(3), *flags, env=support.MPI_ENVIRONMENT)
        self.assertIn("started with 3 ranks, and this program has plans for 4, 2 and 1 ranks; start one of these", done.err)
        self.assert_refused(support.run(*flags, env={"PMIX_RANK": "0"}),
                            "the launcher does not say how many ranks it has started; add --ranks=N: this program has "
                            "plans for 4, 2 and 1 ranks")

    def test_goes_on_with_fewer(self):
        """A rank is killed in the third checkpoint, and among those that are left rank 0 in their second."""
        self.check(support.run(*self.flags, "--elastic", env={"ZRT_CHECKPOINT_FAULT": "kill@sync#3:3"}),
                   "train: rank 3 was ended by signal 9 (Killed); going on with 2 of 4 ranks from step 24\n")
        support.run("rm", "-r", self.folder / "ck")
        done = support.run(*self.flags, "--elastic", env={"ZRT_CHECKPOINT_FAULT": "kill@manifest#2:0"})
        self.assertEqual(done.returncode, 137, done.err)
        self.assertIn("train: error: rank 0 was ended by signal 9 (Killed); 0 of 1 ranks are left, and this program has "
                      "plans for 4, 2 and 1 ranks; start it again to go on from step 36", done.err)
        self.check(support.run(*self.flags, "--elastic"))

    def test_grows(self):
        run = subprocess.Popen(list(map(str, [*self.flags, "--elastic", "--ranks", 2])), stderr=subprocess.PIPE)
        while not elastic.children_of(run.pid):  # ranks that start have the signal blocked
            time.sleep(0.001)
        run.send_signal(signal.SIGUSR2)
        run.err = run.communicate()[1].decode()
        self.check(run, "train: SIGUSR2 has come; going on with 4 of 4 ranks from step ")

    def test_ends_with_what_all_agree_on(self):
        for flags, status in (("--lr", "1e30"), 3), (("--data", "/dev/null"), 1), (("--eval-every", "2"), 2):
            with self.subTest(flags):
                given = [flag for i, flag in enumerate(self.flags) if flags[0] not in self.flags[max(i - 1, 0):i + 1]]
                done = support.run(*given, *flags, "--elastic")
                self.assertEqual(done.returncode, status, done.err)
                self.assertNotIn("going on", done.err)
                self.assertEqual(done.err.count("error"), 1, done.err)

    def test_mpirun(self):
        """The launcher ends the job, and the next one takes the plan of its number of ranks."""
        done = support.run(*support.mpirun(4), *self.flags, "--elastic",
                           env={**support.MPI_ENVIRONMENT, "ZRT_CHECKPOINT_FAULT": "kill@sync#3:3"})
        self.assertIn(done.returncode, (75, 137), done.err)
        self.check(support.run(*support.mpirun(2), *self.flags, "--elastic", env=support.MPI_ENVIRONMENT))

    def test_lost_ranks_under_a_launcher(self):
        """Where nothing else ends the ranks, all but the one that fails end with 75."""
        env = {**os.environ, "WORLD_SIZE": "4", "MASTER_PORT": str(os.getpid()), "ZRT_CHECKPOINT_FAULT": "kill@sync#3:3"}
        ranks = [subprocess.Popen(list(map(str, [*self.flags, "--elastic"])), env={**env, "RANK": str(rank)},
                                  stderr=subprocess.DEVNULL) for rank in range(4)]
        self.assertEqual([rank.wait(60) for rank in ranks], [75, 75, 75, -signal.SIGKILL])

    def test_random(self):
        counts = collections.Counter()
        for seed in 1, 2:
            self.assertIsNone(elastic.run_seed(self.whole, seed, counts, is_mpi=False, events=3))
        self.assertGreater(counts["goes on with 2"], 0, counts)  # seed 1 begins with a kill in a checkpoint
