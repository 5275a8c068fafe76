#!/usr/bin/env bash
# Installs the wheel in a new Debian 12 with nothing but Python, and fine-tunes a
# small model there, on one rank and on two; prints how long it takes.  As root.
#
#   tools/wheel.sh && test/install/wheel.sh [FOLDER]
#
# FOLDER, build/wheel-root, holds the system; one that is there is used again.
# FOLDER.log has what debootstrap says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$(realpath -m "${1:-build/wheel-root}")
wheel=$(ls build/dist/zeroc-*manylinux*.whl)
[[ -x $root/usr/bin/python3 ]] || debootstrap --variant=minbase \
  --include=python3,python3-venv,ca-certificates bookworm "$root" http://deb.debian.org/debian >"$root.log"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
rm -rf "$root/root/work" && mkdir "$root/root/work"
cp "$wheel" test/install/wheel_model.py "$root/root/work/"
cat >"$root/root/work/run.sh" <<'INSIDE'
set -euo pipefail
cd /root/work
for program in gcc cc clang ld mpirun; do
  ! command -v "$program" || { echo "$program is here, so this root is not clean"; exit 1; }
done
begin=$(date +%s%N)
python3 -m venv v && . v/bin/activate
pip install -q --disable-pip-version-check ./zeroc-*.whl
echo "installed in $((($(date +%s%N) - begin) / 1000000)) ms, $(du -sm v/lib/python3*/site-packages | cut -f1) MB"
python3 wheel_model.py
begin=$(date +%s%N)
zeroc finetune model chats.jsonl -o one --lora=8 --merge --steps=20 --accumulate=1 --lr=1e-2 --progress=lines >one.log
echo "20 steps of one command in $((($(date +%s%N) - begin) / 1000000)) ms"
grep -E "^step (0|19)/" one.log
zeroc finetune model chats.jsonl -o two --ranks=2 --stage=3 --steps=20 --accumulate=1 --lr=1e-2 --progress=lines >two.log
grep -E "^step (0|19)/" two.log
for file in model.safetensors config.json tokenizer.json README.md loss.svg; do
  [[ -s one/$file && -s two/$file ]] || { echo "$file is missing"; exit 1; }
done
zeroc report --run=one/zeroc/metrics.jsonl -o report.html
zeroc plan model --machine=h100 --target=cuda --cuda-arch=sm_90 --world-size=2 >plan.txt
echo passed
INSIDE
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
trap 'umount "$root/proc" "$root/dev"' EXIT
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/root PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
  bash /root/work/run.sh
