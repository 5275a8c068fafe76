/*===- zero3.pml - A step of ZeRO-3 with two buckets ----------------------===*

  In program order.  b0 is gathered twice, each time under the compute before.
 *===-----------------------------------------------------------------------===*/
#define STREAMS 3
#define EVENTS 10
#define EXCHANGES 9

#define compute 0
#define gather 1
#define reduce 2

inline program() {
  /* The forward pass. */
  all_gather(gather); record(0, gather);
  work(compute); record(1, compute);
  wait(1, reduce); all_reduce(reduce); record(2, reduce);
  all_gather(gather); record(3, gather);
  wait(0, compute); work(compute); record(4, compute);
  /* The backward pass. */
  wait(4, gather); all_gather(gather); record(5, gather);
  wait(3, compute); wait(2, compute); work(compute); record(6, compute);
  wait(6, reduce); reduce_scatter(reduce); record(7, reduce);
  wait(5, compute); wait(7, compute); work(compute); record(8, compute);
  wait(8, reduce); reduce_scatter(reduce);
  /* The norm, and the update. */
  all_reduce(reduce); record(9, reduce);
  wait(9, compute); work(compute)
}
