# Program `p` becomes another @step; reads the plan twice.
NR == FNR { if (/zero.program @step/) take = 1; if (take) body = body $0 "\n"; if (/^  }/) take = 0; next }
$0 ~ "zero.program @" p { sub("@step", "@" p, body); printf "%s", body; skip = 1 }
!skip
/^  }/ { skip = 0 }
