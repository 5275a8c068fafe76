# Compiles MODEL at each stage on two ranks, and prints the judge's verdict on
# each plan when the plan claims another stage.
#
#     sh claim_stages.sh MODEL
set -e
for made in 0 1 2 3; do
  zeroc "$1" --stage=$made --world-size=2 --emit=memory -o stage.mlir
  for said in 0 1 2 3; do
    sed "s/, stage = $made,/, stage = $said,/; s/zero.stage = $made /zero.stage = $said /" stage.mlir > said.mlir
    if errors=$(zero-opt said.mlir --mlir-print-op-on-diagnostic=false --zero-verify-plan -o /dev/null 2>&1); then
      echo "stage $made as $said: accepted"
    else
      echo "stage $made as $said: $(echo "$errors" | grep -o 'error: .*' | head -1 | sed 's@loc(.*)): @@')"
    fi
  done
done
