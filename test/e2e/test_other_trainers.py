"""Options of other trainers: each is one of ours, or is named with the one that replaces it, or the reason why none does."""
import os
import random
import re

import chats
import support

try:
    from zeroc import finetuning, options, pretrain, run_options
    from zeroc.errors import UserError
except ImportError:
    pass  # ChatCase skips

#: As their documentation lists them.
THEIRS = {
    "transformers": """output_dir overwrite_output_dir do_train do_eval eval_strategy per_device_train_batch_size
        per_device_eval_batch_size gradient_accumulation_steps eval_accumulation_steps eval_delay learning_rate weight_decay
        adam_beta1 adam_beta2 adam_epsilon max_grad_norm num_train_epochs max_steps lr_scheduler_type lr_scheduler_kwargs
        warmup_ratio warmup_steps log_level logging_dir logging_strategy logging_first_step logging_steps save_strategy
        save_steps save_total_limit save_safetensors save_only_model use_cpu seed data_seed bf16 fp16 bf16_full_eval tf32
        local_rank ddp_backend dataloader_drop_last eval_steps dataloader_num_workers run_name disable_tqdm
        remove_unused_columns label_names load_best_model_at_end metric_for_best_model greater_is_better ignore_data_skip fsdp
        fsdp_config deepspeed label_smoothing_factor optim optim_args group_by_length report_to ddp_bucket_cap_mb
        dataloader_pin_memory push_to_hub resume_from_checkpoint hub_model_id hub_token gradient_checkpointing
        gradient_checkpointing_kwargs auto_find_batch_size full_determinism ddp_timeout torch_compile torch_compile_backend
        include_tokens_per_second neftune_noise_alpha use_liger_kernel eval_on_start average_tokens_across_devices""",
    "TRL": """model_name_or_path model_revision torch_dtype dtype trust_remote_code attn_implementation use_peft lora_r
        lora_alpha lora_dropout lora_target_modules lora_modules_to_save lora_task_type use_rslora use_dora load_in_8bit
        load_in_4bit bnb_4bit_quant_type use_bnb_nested_quant dataset_name dataset_config dataset_train_split
        dataset_test_split dataset_streaming model_init_kwargs chat_template_path dataset_text_field dataset_kwargs
        dataset_num_proc eos_token pad_token max_length shuffle_dataset packing packing_strategy padding_free
        pad_to_multiple_of eval_packing completion_only_loss assistant_only_loss loss_type activation_offloading
        ref_model_init_kwargs disable_dropout use_logits_to_keep label_pad_token_id max_prompt_length
        max_completion_length truncation_mode precompute_ref_log_probs precompute_ref_batch_size beta f_divergence_type
        reference_free label_smoothing use_weighting rpo_alpha ld_alpha discopop_tau loss_weights sync_ref_model
        ref_model_mixup_alpha ref_model_sync_steps generate_during_eval desirable_weight undesirable_weight""",
    "axolotl": """base_model tokenizer_type datasets dataset_prepared_path val_set_size lora_model_dir sequence_len
        sample_packing eval_sample_packing pad_to_sequence_len lora_target_linear wandb_project wandb_entity wandb_name
        micro_batch_size num_epochs lr_scheduler train_on_inputs early_stopping_patience auto_resume_from_checkpoints
        flash_attention xformers_attention sdp_attention evals_per_epoch saves_per_epoch special_tokens roles_to_train
        train_on_eos rl cosine_min_lr_ratio loraplus_lr_ratio unfrozen_parameters context_parallel_size plugins
        mlflow_tracking_uri dpo_beta""",
    "LLaMA-Factory": """finetuning_type lora_rank lora_target dataset dataset_dir template cutoff_len max_samples
        overwrite_cache preprocessing_num_workers plot_loss val_size pref_beta pref_loss pref_ftx quantization_bit
        quantization_method flash_attn enable_liger_kernel use_unsloth additional_target freeze_trainable_layers use_galore
        use_badam mix_strategy interleave_probs streaming buffer_size train_on_prompt mask_history neat_packing tokenized_path
        adapter_name_or_path export_dir rope_scaling disable_gradient_checkpointing upcast_layernorm ref_model pure_bf16
        simpo_gamma kto_chosen_weight kto_rejected_weight double_quantization model_max_length""",
    "DeepSpeed": """num_gpus num_nodes hostfile include exclude master_port master_addr node_rank launcher launcher_args no_ssh
        autotuning elastic_training min_elastic_nodes max_elastic_nodes save_pid enable_each_rank_log bind_cores_to_rank
        bind_core_list deepspeed_config zero_stage offload_optimizer train_batch_size train_micro_batch_size_per_gpu
        gradient_clipping activation_checkpointing""",
    "torchrun": """nnodes nproc_per_node rdzv_backend rdzv_endpoint rdzv_id rdzv_conf standalone max_restarts monitor_interval
        start_method module no_python run_path redirects tee local_ranks_filter""",
    "accelerate": """num_processes num_machines machine_rank main_process_port main_process_ip mixed_precision use_fsdp
        multi_gpu gpu_ids dynamo_backend offload_optimizer_device offload_param_device config_file""",
}
#: Of the first, a sign that a command has understood a mistake.
ANSWER = re.compile(r"(?P<typed>--[\w-]+) (is (?P<option>--[\w-]+)?.* (here; see|of |in place of)|"
                    r"is no option of \w+: |is not supported, because ).+")


class OtherTrainers(chats.ChatCase):
    def mistakes(self, count, seed):
        rng = random.Random(seed)
        names = sorted({name for listed in THEIRS.values() for name in listed.split()})
        return [name.replace("_", rng.choice("-_")) for name in rng.sample(names, count)]

    def refusal(self, command, parser, name):
        """What a command in Python says of an option; "" if it has or takes it."""
        try:
            options.parse(parser, ["model", "data", "-o", "out", f"--{name}=1"], run_options.MANAGED, command)
        except UserError as error:
            return str(error)
        except SystemExit:
            return ""  # it is one of its own, and 1 is no value of it
        return ""

    def check(self, name, text, own):
        """Checks an answer, and that the option in it is there; `own` are those of the command."""
        found = ANSWER.search(text)
        self.assertTrue(found, f"{name}: {text}")
        self.assertEqual(found["typed"], f"--{name}", text)
        if found["option"]:
            known = {*own, *options.known_options(), "--batch", "--seq", "--packed", "--label-smoothing", "--z-loss", "--dropout",
                     "--token-weights", "--tokenizer"}
            self.assertIn(found["option"], known, text)

    def test_sixty(self):
        os.environ["ZEROC_PROGRAM"] = str(support.ZEROC)
        self.addCleanup(os.environ.pop, "ZEROC_PROGRAM")
        options.listed.cache_clear()
        self.addCleanup(options.listed.cache_clear)
        zeroc = {name for name, (who, _) in options.known_options().items() if who == "compile"}
        for name in self.mistakes(60, seed=26):
            dashed = f"--{name}"
            for command, parser in (("finetune", finetuning.parser()), ("pretrain", pretrain.parser())):
                own = options.own_options(parser)
                with self.subTest(f"{command} --{name}"):
                    text = self.refusal(command, parser, name)
                    if dashed in run_options.MANAGED and dashed not in own:
                        self.assertIn(f"{command} gives {dashed} itself; ", text)
                    elif dashed not in own and dashed not in options.known_options():
                        self.check(name, text, [*own, *options.own_options(finetuning.parser())])
            if dashed not in zeroc:
                with self.subTest(f"zeroc --{name}"):
                    done = support.run(support.ZEROC, support.EXAMPLES / "mlp.mlir", "-o", self.folder / "train", f"--{name}=1")
                    self.assert_refused(done)
                    if dashed not in options.known_options() and "is an option of zeroc" not in done.err:
                        self.check(name, done.err, options.own_options(finetuning.parser()))

    def test_answers(self):
        """In the words of the command that is typed."""
        model = self.model()
        data = self.write("a.jsonl", '{"text": "a"}\n')
        for words, says in (
                (("finetune", model, data, "--learning-rate=1e-3"), "finetune: error: --learning-rate is --lr X here"),
                (("finetune", model, data, "--output_dir", "x"), "--output_dir is no option of finetune: say -o"),
                (("finetune", model, data, "--num_gpus=2"), "--num_gpus is no option of finetune: say --ranks"),
                (("finetune", model, data, "--max-length", 8), "--max-length is --seq=T here; see zeroc finetune --help"),
                (("finetune", model, data, "--bf16"), "--bf16 is --precision=bf16 here"),
                (("finetune", model, data, "--deepspeed", "x"), "--deepspeed is --ds-config=FILE here"),
                (("finetune", model, data, "--gradient-checkpointing"), "--gradient-checkpointing is --remat=block here"),
                (("finetune", model, data, "--load-in-4bit"), "--load-in-4bit is --base-storage=nf4 here"),
                (("finetune", model, data, "--packing"), "--packing is no option of finetune: samples are packed"),
                (("finetune", model, data, "--wandb-project=x"), "--wandb-project is --report-to=NAME here"),
                (("finetune", model, data, "--early_stopping_patience", 3), "--early_stopping_patience is --patience N here"),
                (("finetune", model, data, "--push-to-hub"), "--push-to-hub is not supported, because a folder is written"),
                (("pretrain", model, data, "--tokenizer_name=x"), "--tokenizer_name is --tokenizer=TOKENIZER.json here"),
                (("data", "build", model, data, "--cutoff_len=8"), "--cutoff_len is --seq=T here; see zeroc data --help"),
                (("generate", model, "--max-length=8"), "--max-length is --seq=T here; see zeroc generate --help"),
                (("generate", model, "--max_new_tokens=8"), "--max_new_tokens is no option of generate: say --max-tokens"),
                (("generate", model, "--learning-rate=1"), "is --lr X of the program that zeroc makes, and zeroc generate has none"),
                (("plot", "--bf16", "x"), "--bf16 is --precision=bf16 of zeroc, and zeroc plot has none"),
                (("plot", "--wobble", "x"), "--wobble is no option of plot; see zeroc plot --help"),
                (("import", model, "--tf32"), "--tf32 is not supported, because products of fp32 are computed in fp32"),
                (("finetune", model, data, "--lorra=4"), "did you mean --lora?")):
            with self.subTest(words):
                done = support.run(support.ZEROC, *words)
                self.assert_refused(done)
                self.assertIn(says, done.err)
