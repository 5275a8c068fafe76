/*===- lanes.pml - Ranks that issue collectives, a model for SPIN ---------===*

  Several ranks execute the same program.  On each rank every stream has a
  thread that issues the stream's operations in order, and a GPU that executes
  them later:

    threads (StreamQueue)   wait on the host, then add to their stream
      wait e                  until `record e` has been issued
      a collective            until all earlier ones have been issued (Turns)
    GPU
      wait e                  until `record e` has been reached
      an exchange             until all ranks do the same exchange

  Two limits can stop them.  A GPU has room for ROOM exchanges.  A stream holds
  DEPTH operations; a thread that adds to a full one holds the driver's lock, so
  no thread of its rank issues anything until the stream has moved.

  Macros choose in which order a GPU does exchanges:

    (none)      that of their issue: NCCL_LAUNCH_ORDER_IMPLICIT
    CHAINED     NCCL before 2.26: each waits for an event after the one before
    DIRECT      --collectives=direct: any, with room for all

  With FAILS, rank 0 fails at any moment, and the others abort later.  With
  OBSERVED, threads finish their stream after each operation, as for a profile.
  The macros of faults are in check.py.

  SPIN reports a state in which nothing moves and an operation is left, and
  exchanges that are issued or started out of order.  Each move advances a
  counter towards its end, so a run without such a state executes everything.

  Many orders of moves lead to the same states.  Two kinds are left out:

    1. What a GPU can finish, it finishes at once: no other move prevents it,
       and it only makes room.  With LATE it does so at any time.
    2. Of the ranks whose threads can move, the first one does: moves of other
       ranks only end its exchanges, which makes room.  A rank that has aborted
       waits for nothing, so its threads move in one order.  ANY includes all.
 *===-----------------------------------------------------------------------===*/

/* Defines STREAMS, EVENTS and EXCHANGES, their numbers, and `program`. */
#include "program.pml"

#ifndef RANKS
#define RANKS 3
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#ifndef ROOM
#ifdef DIRECT
#define ROOM STREAMS
#else
#define ROOM 1
#endif
#endif

/*===----------------------------------------------------------------------===*
  The program: the operations of each stream
 *===----------------------------------------------------------------------===*/

#define kWork 1
#define kRecord 2
#define kWait 3
#define kExchange 4
#define kAfter 5 /* CHAINED: waits for the exchange before */
#define kLast 6  /* CHAINED: records the end of an exchange */

#define OPERATIONS 192 /* of a stream, at most */

/* Hidden: not part of states, since they never change. */
hidden byte kind[STREAMS * OPERATIONS];
hidden byte what[STREAMS * OPERATIONS];   /* the event or the exchange */
hidden byte turnOf[STREAMS * OPERATIONS]; /* of the collective, from 1; or 0 */
hidden byte length[STREAMS];
hidden byte onHost[STREAMS]; /* whether a thread does the work, and no GPU */
hidden byte eventStream[EVENTS], eventPlace[EVENTS];
hidden byte lane[EXCHANGES], lanePlace[EXCHANGES]; /* stream and place */
hidden byte exchanges, collectives;
hidden short operations;

inline add(s, k, w, t) {
  kind[s * OPERATIONS + length[s]] = k;
  what[s * OPERATIONS + length[s]] = w;
  turnOf[s * OPERATIONS + length[s]] = t;
  length[s]++;
  operations++
}
inline runsOnHost(s) { onHost[s] = 1 }
inline work(s) { add(s, kWork, 0, 0) }
inline record(e, s) {
  eventStream[e] = s;
  eventPlace[e] = length[s];
  add(s, kRecord, e, 0)
}
inline wait(e, s) { add(s, kWait, e, 0) }
inline exchange(s) {
#ifdef CHAINED
  add(s, kAfter, exchanges, collectives);
#endif
  lane[exchanges] = s;
  lanePlace[exchanges] = length[s];
  add(s, kExchange, exchanges, collectives);
#ifdef CHAINED
  add(s, kLast, exchanges, collectives);
#endif
  exchanges++
}
inline sum(s) { add(s, kWork, 0, collectives) }
inline all_gather(s) { collectives++; exchange(s) }
inline all_reduce(s) { collectives++; exchange(s); sum(s) }
/* In two chunks. */
inline reduce_scatter(s) {
  collectives++; exchange(s); sum(s); exchange(s); sum(s)
}

/*===----------------------------------------------------------------------===*
  The state
 *===----------------------------------------------------------------------===*/

#define ALL (RANKS * STREAMS)

/* By rank and stream, which are one number, q. */
byte issued[ALL], done[ALL]; /* numbers of operations */
byte cut[ALL];     /* 1 + the place from which collectives are left out; or 0 */
bool running[ALL]; /* whether the first operation is an exchange that runs */
bool isAborted[ALL];

/* By rank. */
byte turn[RANKS];               /* collectives that have been issued */
byte holder[RANKS];             /* 1 + the stream that has the driver's lock */
byte busy[RANKS], begun[RANKS]; /* exchanges that run; that have begun */
byte last[RANKS];               /* 1 + the exchange issued last; or 0 */
byte before[RANKS * EXCHANGES]; /* the same, when an exchange was issued */
bool isGivenUp[RANKS];

byte arrived[EXCHANGES]; /* ranks that have begun it, unless aborted before */
bool hasFailed;
short left; /* operations that are not done, of all ranks */
byte mover; /* the first thread that can move */

hidden byte i, isMoving;

#define rankOf(q) ((q) / STREAMS)
#define streamOf(q) ((q) % STREAMS)
#define onSameRank(q, s) (rankOf(q) * STREAMS + (s))
#define atPlace(q, n) (streamOf(q) * OPERATIONS + (n))

/* For check.py --show: who does what with which operation. */
#define kIssues 0
#define kHolds 1
#define kOmits 2
#define kStarts 3
#define kEnds 4
#define kAborts 5
#define say(verb, q, o) printf("%d %d %d %d %d\n", rankOf(q), streamOf(q), verb, kind[o], what[o])

/*===----------------------------------------------------------------------===*
  GPUs
 *===----------------------------------------------------------------------===*/

/* The operation that a GPU does first of a stream. */
#define first(q) atPlace(q, done[q])
#define isIssued(q) (done[q] < issued[q])
#define isOmitted(q) (cut[q] && done[q] + 1 >= cut[q] && turnOf[first(q)])
#define isReached(q) (done[onSameRank(q, eventStream[what[first(q)]])] > eventPlace[what[first(q)]])

/* The exchange that was issued before, its stream and place. */
#define previous(q) before[rankOf(q) * EXCHANGES + what[first(q)]]
#define previousQ(q) onSameRank(q, lane[previous(q) - 1])
#define previousPlace(q) lanePlace[previous(q) - 1]
#define hasPreviousBegun(q) (!previous(q) || done[previousQ(q)] + running[previousQ(q)] > previousPlace(q))
#define hasPreviousEnded(q) (!previous(q) || done[previousQ(q)] > previousPlace(q) + 1)

#if defined(CHAINED) || defined(DIRECT) || defined(UNORDERED)
#define isNext(q) true
#else
#define isNext(q) hasPreviousBegun(q)
#endif

#define canStart(q) (isIssued(q) && kind[first(q)] == kExchange && !isOmitted(q) && !running[q] && \
  (isAborted[q] || (busy[rankOf(q)] < ROOM && isNext(q))))
#define canFinish(q) (isIssued(q) && (isOmitted(q) || kind[first(q)] == kWork || kind[first(q)] == kRecord || \
  (kind[first(q)] == kWait && isReached(q)) || \
  (kind[first(q)] == kAfter && hasPreviousEnded(q)) || kind[first(q)] == kLast || \
  (running[q] && (isAborted[q] || arrived[what[first(q)]] == RANKS))))

inline start(q) {
  say(kStarts, q, first(q));
  running[q] = true;
  busy[rankOf(q)]++;
  arrived[what[first(q)]] = arrived[what[first(q)]] + !isAborted[q];
#ifndef DIRECT
  assert(isAborted[q] || what[first(q)] == begun[rankOf(q)]);
#endif
  begun[rankOf(q)]++
}
inline finish(q) {
  say(kEnds, q, first(q));
  busy[rankOf(q)] = busy[rankOf(q)] - running[q];
  running[q] = false;
  done[q]++;
  left--
}

/*===----------------------------------------------------------------------===*
  Threads
 *===----------------------------------------------------------------------===*/

/* The operation that a thread issues next. */
#define next(q) atPlace(q, issued[q])
#define isLeft(q) (issued[q] < length[streamOf(q)])
/* A thread of the host also waits for the GPU. */
#define isRecorded(q) ((onHost[streamOf(q)] -> done[onSameRank(q, eventStream[what[next(q)]])] : \
  issued[onSameRank(q, eventStream[what[next(q)]])]) > eventPlace[what[next(q)]])
#define hasRoom(q) (onHost[streamOf(q)] || issued[q] - done[q] < DEPTH)

#ifdef NO_TURNS
#define hasTurn(q) true
#else
#define hasTurn(q) (turnOf[next(q)] == turn[rankOf(q)] + 1 || isGivenUp[rankOf(q)])
#endif
#ifdef OBSERVED
#define hasFinished(q) (issued[q] == done[q])
#else
#define hasFinished(q) true
#endif

/* Whether the thread waits for nothing on the host. */
#define isAwake(q) (isLeft(q) && hasFinished(q) && (kind[next(q)] != kWait || isRecorded(q)) && \
  (!turnOf[next(q)] || hasTurn(q)))
/* Whether it issues no more of a collective, as the rank has failed. */
#define omits(q) (turnOf[next(q)] && (cut[q] || isGivenUp[rankOf(q)] || isAborted[q]))
#define isHolder(q) (holder[rankOf(q)] == streamOf(q) + 1)
#define isFree(q) (holder[rankOf(q)] == 0 || onHost[streamOf(q)])

#define canIssue(q) (isAwake(q) && !omits(q) && isFree(q))
#define canOmit(q) (isAwake(q) && omits(q) && !isHolder(q))
#define canGoOn(q) (isHolder(q) && hasRoom(q))
#define canMove(q) (canIssue(q) || canOmit(q) || canGoOn(q))

inline issue(q) {
  say(kIssues, q, next(q));
  if
#ifdef CHAINED
  :: kind[next(q)] == kAfter -> before[rankOf(q) * EXCHANGES + what[next(q)]] = last[rankOf(q)]
  :: kind[next(q)] == kExchange -> assert(what[next(q)] == last[rankOf(q)])
  :: kind[next(q)] == kLast -> last[rankOf(q)] = what[next(q)] + 1
#else
  :: kind[next(q)] == kExchange ->
    assert(what[next(q)] == last[rankOf(q)]);
    before[rankOf(q) * EXCHANGES + what[next(q)]] = last[rankOf(q)];
    last[rankOf(q)] = what[next(q)] + 1
#endif
  :: else
  fi;
  if
  :: turnOf[next(q)] && turnOf[next(q) + 1] != turnOf[next(q)] -> turn[rankOf(q)]++
  :: else
  fi;
  issued[q]++
}
inline hold(q) {
  say(kHolds, q, next(q));
  holder[rankOf(q)] = streamOf(q) + 1
}
inline omit(q) {
  say(kOmits, q, next(q));
  if
  :: !cut[q] -> cut[q] = issued[q] + 1
  :: else
  fi;
  issued[q]++
}

/*===----------------------------------------------------------------------===*
  Moves
 *===----------------------------------------------------------------------===*/

#ifdef ANY
#define mayMove(q) true
#define mayAbort(r) true
#else
#define mayMove(q) (rankOf(mover) == rankOf(q) && (mover == q || !isGivenUp[rankOf(q)]))
#define mayAbort(r) (r <= rankOf(mover))
#endif
/* Which of two exchanges starts may be a choice. */
#if !defined(LATE) && !defined(UNORDERED)
#define STARTS_AT_ONCE
#endif

/* Ends each move. */
inline settle() {
#ifndef LATE
  isMoving = 1;
  do
  :: isMoving ->
    isMoving = 0;
    i = 0;
    do
    :: i < ALL ->
      do
#ifdef STARTS_AT_ONCE
      :: canStart(i) -> start(i); isMoving = 1
#endif
      :: canFinish(i) -> finish(i); isMoving = 1
      :: else -> break
      od;
      i++
    :: else -> break
    od
  :: else -> break
  od;
#endif
#ifndef ANY
  i = 0;
  do
  :: i < ALL && !canMove(i) -> i++
  :: else -> break
  od;
  mover = i;
#endif
  i = 0
}

proctype thread(byte q) {
end:
  do
  :: d_step { mayMove(q) && canIssue(q) && hasRoom(q) -> issue(q); settle() }
  :: d_step { mayMove(q) && canIssue(q) && !hasRoom(q) -> hold(q); settle() }
  :: d_step { mayMove(q) && canGoOn(q) -> holder[rankOf(q)] = 0; issue(q); settle() }
  :: d_step { mayMove(q) && canOmit(q) -> omit(q); settle() }
  od
}

#ifndef STARTS_AT_ONCE
proctype gpu(byte q) {
end:
  do
  :: d_step { canStart(q) -> start(q); settle() }
#ifdef LATE
  :: d_step { canFinish(q) -> finish(q); settle() }
#endif
  od
}
#endif

#ifdef LOCKED_ABORT
#define canAbort(r) (holder[r] == 0)
#else
#define canAbort(r) true
#endif

/* Rank 0 fails; the others abort when they see it.  The wait for turns ends
   first, then lanes are aborted, which is one move here. */
proctype watch(byte r) {
  byte s;
end:
  d_step {
    mayAbort(r) && (hasFailed || r == 0) && canAbort(r) ->
    say(kAborts, r * STREAMS, 0);
    hasFailed = true;
#ifndef NO_GIVE_UP
    isGivenUp[r] = true;
#endif
#ifndef ONE_BY_ONE
    for (s : 0 .. STREAMS - 1) {
      isAborted[r * STREAMS + s] = true
    }
#endif
    s = 0;
    settle()
  }
#ifdef ONE_BY_ONE
  /* Aborting a lane waits for its stream. */
  do
  :: d_step { s < STREAMS && (s == 0 || done[r * STREAMS + s - 1] == issued[r * STREAMS + s - 1]) ->
       isAborted[r * STREAMS + s] = true;
       s++;
       settle() }
  od
#endif
}

init {
  byte q;
  d_step { program(); left = RANKS * operations; settle() }
  atomic {
    for (q : 0 .. ALL - 1) {
      run thread(q);
#ifndef STARTS_AT_ONCE
      run gpu(q)
#endif
    }
#ifdef FAILS
    for (q : 0 .. RANKS - 1) {
      run watch(q)
    }
#endif
    q = 0
  }
  left == 0 /* or this process never ends, which SPIN reports */
}
