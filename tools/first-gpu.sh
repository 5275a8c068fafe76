#!/usr/bin/env bash
# The first minutes on a GPU: is everything right there, and how fast is it?
#
#   tools/first-gpu.sh prepare FOLDER       compiles the programs; needs zeroc
#   tools/first-gpu.sh run FOLDER [PART]    on the machine with the GPU; needs its
#                                           driver and cuBLASLt, and no zeroc
#
# `prepare` puts this script, programs and data into FOLDER, which can be copied.
# ZERO_CUDA_ARCH is the GPU [sm_90]; with `emulated` the models are small.
# ZEROC_BEFORE is another zeroc, whose programs are timed, too.  PART is `checks`
# or `times`, without it both.  `run` prints a page, and writes it and the output
# of each step to FOLDER/out/PART, and for `times` rates.json.  Each step may fail
# alone, and is ended after its time.  The exit status is the number of failed
# steps.
set -uo pipefail
case ${1:-} in prepare | run) ;; *) sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 2 ;; esac
case ${3:-} in checks | times | "") ;; *) echo "first-gpu.sh: error: $3 is no part; name checks or times" >&2; exit 2 ;; esac
[[ -n ${2:-} ]] || { echo "first-gpu.sh: error: name a folder" >&2; exit 2; }
arch=${ZERO_CUDA_ARCH:-sm_90}
[[ $1 == prepare ]] || arch=$(<"$2/arch") || exit

# Name, model, batch, sequence, options: what is checked, and what is timed.  The
# model dropout is char with dropout.
checked=(
  "f32 char 8 128"
  "bf16 char 8 128 --precision=bf16"
  "attention-f32 char 8 128 --precision=bf16 --attention=f32"
  "offload llama 4 200 --precision=fp16 --offload=cpu"
  "nvme char 8 128 --precision=bf16 --offload=nvme"
  "dropout dropout 8 128 --precision=bf16"
  "nf4 llama 4 200 --precision=bf16 --lora=8 --base-storage=nf4"
  "experts mixtral 4 200 --precision=bf16"
  "cudnn llama 4 200 --precision=bf16 --attention=cudnn"
  "ranks char 8 128 --precision=bf16 --world-size=2 --stage=3 --collectives=direct"
  "nccl char 8 128 --precision=bf16 --world-size=2 --stage=3 --collectives=nccl --accumulate=2")
timed=(
  "gpt2 gpt2 16 1024 --precision=bf16"
  "gpt2-padded gpt2-padded 16 1024 --precision=bf16"
  "llama-1b llama-1b 8 1024 --precision=bf16"
  "gpt2-cudnn gpt2-padded 16 1024 --precision=bf16 --attention=cudnn"
  "llama-1b-cudnn llama-1b 8 1024 --precision=bf16 --attention=cudnn"
  "experts qwen3-moe 8 2048 --precision=bf16"
  "heads-256 gemma3 4 2048 --precision=bf16")
soak_steps=${ZERO_SOAK:-2000}
[[ $arch != emulated ]] || {
  soak_steps=${ZERO_SOAK:-60}
  timed=("gpt2 char 2 64 --precision=bf16")
  checked=("bf16 char 1 16 --precision=bf16"
    "cudnn char 1 16 --precision=bf16 --attention=cudnn"
    "ranks char 1 16 --precision=bf16 --world-size=2 --stage=3 --collectives=direct"
    "nccl char 1 16 --precision=bf16 --world-size=2 --stage=3 --collectives=nccl --accumulate=2")
}

prepare() {
  local root folder=$1
  root=$(cd "$(dirname "$0")/.." && pwd)
  local zeroc=${ZEROC:-$root/build/release/bin/zeroc}
  mkdir -p "$folder/models" && cp "$0" "$folder/first-gpu.sh" || exit
  cp "$root/benchmark/peers/torch_gpu.py" "$root/benchmark/models/llama-1b.json" "$folder/models"
  cp "$root/examples/char-gpt2.json" "$folder/models/char.json"
  sed 's/pdrop": 0.0/pdrop": 0.1/' "$root/examples/char-gpt2.json" >"$folder/models/dropout.json"
  cp "$root/examples/gpt2-small.json" "$folder/models/gpt2.json"
  sed s/50257/50304/ "$root/examples/gpt2-small.json" >"$folder/models/gpt2-padded.json"
  local small='"vocab_size":1000,"hidden_size":256,"num_hidden_layers":2,"num_attention_heads":8,"num_key_value_heads":2,
    "max_position_embeddings":512,"rms_norm_eps":1e-5,"rope_theta":10000.0,"hidden_act":"silu","tie_word_embeddings":true'
  echo "{\"model_type\":\"llama\",\"intermediate_size\":704,$small}" >"$folder/models/llama.json"
  echo "{\"model_type\":\"mixtral\",\"intermediate_size\":352,\"num_local_experts\":8,\"num_experts_per_tok\":2,
    \"router_aux_loss_coef\":0.01,\"output_router_logits\":true,$small}" >"$folder/models/mixtral.json"
  # A layer of Qwen3-30B-A3B.
  # Layers of Gemma 3 4B, whose heads have 256 columns.
  echo '{"model_type":"gemma3_text","vocab_size":50304,"hidden_size":2560,"num_hidden_layers":2,"num_attention_heads":8,
    "num_key_value_heads":4,"head_dim":256,"intermediate_size":10240,"max_position_embeddings":8192,"sliding_window":1024,
    "query_pre_attn_scalar":256,"rms_norm_eps":1e-6,"rope_theta":1e6,"hidden_activation":"gelu_pytorch_tanh"}' \
    >"$folder/models/gemma3.json"
  echo '{"model_type":"qwen3_moe","vocab_size":50304,"hidden_size":2048,"num_hidden_layers":1,"num_attention_heads":32,
    "num_key_value_heads":4,"head_dim":128,"intermediate_size":6144,"moe_intermediate_size":768,"num_experts":128,
    "num_experts_per_tok":8,"norm_topk_prob":true,"max_position_embeddings":4096,"rms_norm_eps":1e-6,"rope_theta":1e6,
    "hidden_act":"silu","router_aux_loss_coef":0.001}' >"$folder/models/qwen3-moe.json"
  local name model batch seq rest options
  while read -r name model batch seq rest; do
    local more=()
    [[ $model != dropout ]] || more=(--dropout)
    read -ra options <<<"--target=cuda --cuda-arch=$arch $rest"
    "$zeroc" import "$folder/models/$model.json" "--batch=$batch" "--seq=$seq" "${more[@]}" -o "$folder/model.mlir" &&
      "$zeroc" "$folder/model.mlir" "${options[@]}" -o "$folder/$name" >/dev/null || exit
    [[ -z ${ZEROC_BEFORE:-} || $name == check-* || $name == *-cudnn ]] ||
      "$ZEROC_BEFORE" "$folder/model.mlir" "${options[@]}" -o "$folder/$name-before" >/dev/null || exit
  done < <(printf '%s\n' "${checked[@]/#/check-}" "${timed[@]}")
  rm "$folder/model.mlir"
  # Tokens as words of a text: the k-th is drawn about 1 / k as often as the first.
  LC_ALL=C awk -v "most=$([[ $arch == emulated ]] && echo 255 || echo 50000)" 'BEGIN { srand(3); for (i = 0; i < 400000; ++i) { n = int(exp(rand() * log(most)) - 0.5)
    printf "%c%c", 1 + n % 256, int(n / 256) } }' >"$folder/tokens.u16"
  cat "$root"/docs/*.md >"$folder/text.txt"
  echo "$arch" >"$folder/arch"
  du -sh "$folder"
}

# Whether the program NAME can run here: those of cuDNN need that library.
has() { [[ $1 != *cudnn || -n $cudnn ]]; }

# step NAME SECONDS COMMAND...: its output goes to $out/NAME.log, its verdict to the page.
failed=0
step() {
  local name=$1 limit=$2 start=$SECONDS status
  shift 2
  timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1
  status=$?
  ((status == 0)) || ((++failed))
  printf '%-28s %-8s %3d s\n' "$name" "$( ((status)) && echo "FAIL $status" || echo ok)" $((SECONDS - start))
  return "$status"
}
# Losses and norms of a file of --metrics.
numbers() { sed 's/.*"loss":\([^,]*\),"grad_norm":\([^,]*\),.*/\1 \2/' "$1"; }
same() { cmp <(numbers "$1") <(numbers "$2"); }
# two PROGRAM ARGUMENT...: starts two ranks, which share a GPU if there is one.
two() {
  local rank
  for rank in 0 1; do
    RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=29517 "$@" &
    pids[rank]=$!
  done
}
wait_for_two() { wait "${pids[0]}" && wait "${pids[1]}"; }
# Not with algorithms that a run has chosen by time: bits are compared.
train() { "./$1" --data text.txt --data-format text --lr 1e-3 --matmul-algorithms=1 --quiet "${@:2}"; }

check_two() { two "./check-$1" "--device-check=$out/$1.json" && wait_for_two; }
# soak NAME STEPS: and an eighth of the steps with threads that issue late.
soak() {
  two train "check-$1" --steps "$2" && wait_for_two &&
    ZRT_DELAYS=1 two train "check-$1" --steps $(($2 / 8)) && wait_for_two
}
# The same bits of a run, of another one, and of one whose threads are late.
repeated() {
  to() { two train "check-$1" --steps 20 --metrics "$out/$1-$2.jsonl" && wait_for_two; }
  to "$1" 1 && to "$1" 2 && ZRT_DELAYS=2 to "$1" 3 &&
    same "$out/$1-1.jsonl" "$out/$1-2.jsonl" && same "$out/$1-1.jsonl" "$out/$1-3.jsonl"
}
graphs() {
  train check-bf16 --steps 30 --metrics "$out"/graphs.jsonl &&
    ZRT_CUDA_GRAPHS=0 train check-bf16 --steps 30 --metrics "$out"/no-graphs.jsonl && same "$out"/graphs.jsonl "$out"/no-graphs.jsonl
}
tiers() {
  train check-nvme --nvme-path "$out" --steps 30 --metrics "$out"/nvme.jsonl && same "$out"/graphs.jsonl "$out"/nvme.jsonl
}
full() {
  ZRT_GPU_FILL=98 train check-bf16 --steps 30 --metrics "$out"/full.jsonl && same "$out"/graphs.jsonl "$out"/full.jsonl
}
# The other rank has to end with an error, within its time.
killed() {
  two "./check-$1" --data text.txt --data-format text --lr 1e-3 --quiet --steps 1000000
  sleep 4
  kill -KILL "${pids[1]}"
  ! wait "${pids[0]}"
}
export -f numbers same two wait_for_two train check_two soak repeated graphs tiers full killed

# Are results right, in the same bits, and after failures?
check_all() {
  local name rest gpus tool
  gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
  [[ -z ${CUDA_VISIBLE_DEVICES:-} ]] || gpus=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .)
  [[ $arch != emulated ]] || gpus=2
  local pairs=(ranks nccl)
  # Ranks that share a GPU take turns there, some milliseconds each.
  ((gpus > 1)) || { pairs=(ranks); ((soak_steps /= 4)); echo "one GPU: NCCL is left out, and two ranks share the GPU"; }
  while read -r name rest; do
    local more=()
    has "$name" || continue
    [[ $name != nvme ]] || more=(--nvme-path "$out")
    if [[ $name == ranks || $name == nccl ]]; then
      [[ " ${pairs[*]} " != *" $name "* ]] || step "check-$name" 90 bash -c "check_two $name"
    else
      step "check-$name" 60 "./check-$name" "--device-check=$out/$name.json" "${more[@]}"
    fi || grep -h FAIL "$out/check-$name.log" | cut -c1-200
  done < <(printf '%s\n' "${checked[@]}")
  step graphs-same-bits 60 bash -c graphs
  [[ ! -x check-nvme ]] || step tiers-same-bits 60 bash -c tiers
  step memory-98-percent 60 bash -c full
  for name in "${pairs[@]}"; do
    step "$name-same-bits" 120 bash -c "repeated $name"
    step "$name-soak" 120 bash -c "soak $name $soak_steps"
    step "$name-killed" 60 bash -c "killed $name"
  done
  for tool in memcheck racecheck synccheck; do
    ! command -v compute-sanitizer >/dev/null ||
      ZRT_CUDA_GRAPHS=0 step "sanitizer-$tool" 90 compute-sanitizer --error-exitcode=1 --tool "$tool" \
        ./check-bf16 --data text.txt --data-format text --lr 1e-3 --steps 3 --matmul-algorithms=1
  done
}

# How fast are steps: with the fastest of cuBLASLt's algorithms, with its first,
# by the zeroc of before, and by PyTorch?
time_all() {
  local name model batch seq rest
  local options=(--data tokens.u16 --data-format u16 --lr 1e-4 --progress lines)
  time_one() { step "train-$1" 60 "./$2" "${options[@]}" --steps 16 "${@:3}" && grep -h 'step .*median' "$out/train-$1.log"; }
  step check-gpt2 120 ./gpt2 "--device-check=$out/gpt2.json" || grep -h FAIL "$out/check-gpt2.log" | cut -c1-200
  while read -r name model batch seq rest; do
    has "$name" || continue
    time_one "$name" "$name"
    time_one "$name-first" "$name" --matmul-algorithms=1
    [[ ! -x $name-before ]] || time_one "$name-before" "$name-before"
    step "profile-$name" 60 "./$name" "${options[@]}" --steps 4 --profile
    [[ $name == experts || $name == heads-256 || $name == *-cudnn ]] ||
      ! python3 -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
      { step "torch-$name" 90 python3 models/torch_gpu.py "models/$model.json" "$batch" "$seq" 16 && tail -n 1 "$out/torch-$name.log"; }
  done < <(printf '%s\n' "${timed[@]}")
  rates >"$out/rates.json"
}

run() {
  local found part=${2:-}
  cd "$1" || exit
  export out=out${part:+/$part}
  rm -rf "$out" && mkdir -p "$out" || exit
  for found in $(find /usr/local/cuda*/ /usr/lib /opt /root/.local /home \( -name 'libcublasLt.so.1[23]' -o -name libcudnn.so.9 \) 2>/dev/null | sort -r); do
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$found")
  done
  cudnn=$(ldconfig -p | grep -o '/.*/libcudnn.so.9$'; tr ':' '\n' <<<"${LD_LIBRARY_PATH:-}" | sed 's,$,/libcudnn.so.9,' | xargs -rd '\n' ls 2>/dev/null)
  {
    nvidia-smi --query-gpu=name,memory.total,driver_version,clocks.max.sm,power.limit --format=csv,noheader 2>/dev/null
    nvidia-smi topo -m 2>/dev/null | grep -E '^ *GPU' | head -9
    echo "$(nproc) processors, libraries in ${LD_LIBRARY_PATH:-the default folders}"
    [[ -n $cudnn ]] || echo "no libcudnn.so.9: its attention is left out"
    [[ $arch != emulated ]] || export FAKE_CUDA_MEMORY=$((600 << 20))
    [[ $part == times ]] || check_all
    [[ $part == checks ]] || time_all
    echo "$failed steps failed"
    exit "$failed"
  } 2>&1 | tee "$out/page.txt"
}

# Rates that were measured: links of --device-check in bytes per second, and step times.
rates() {
  local lines=() what rate file
  while IFS='|' read -r what rate; do
    lines+=("  \"${what// /_}_bytes_per_s\": ${rate}e9")
  done < <(sed -n 's/^ *\(device memory\|host to device\|device to host\)[^0-9]*  *\([0-9.]*\) GB\/s$/\1|\2/p' "$out/check-gpt2.log")
  for file in "$out"/train-*.log; do
    rate=$(sed -n 's/^step \([0-9.]*\) ms (median).*/\1/p' "$file")
    what=$(basename "$file" .log)
    [[ -z $rate ]] || lines+=("  \"${what#train-}_step_ms\": $rate")
  done
  # Products of a step: how many, milliseconds of all, and FLOP/s, by m x n x k.
  for file in "$out"/profile-*.log; do
    what=$(basename "$file" .log)
    while read -r rate; do
      lines+=("  \"${what#profile-} $rate")
    done < <(sed -nE 's/^.* (matmul of .* [0-9]+ x [0-9]+ x [0-9]+) +([0-9]+) +([0-9.]+) +[0-9.]+ +([0-9.]+) ([GT])FLOP\/s$/\1": {"calls": \2, "ms": \3, "flops": \4e\5}/p' \
      "$file" | sed 's/eG}/e9}/; s/eT}/e12}/')
  done
  printf '{\n%s\n}\n' "$(printf '%s\n' "${lines[@]}" | sed '$!s/$/,/')"
}

"$@"
