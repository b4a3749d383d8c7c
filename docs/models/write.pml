/*
 * The write path: calls that update one method or create one pair of codes, and a caller's transaction, on a database
 * whose connections break. README.md says which line of code each step stands for, and what each flag changes.
 *
 * W1: no acknowledged update is lost. The version is 1 + the acknowledged updates + the unknown ones that happened.
 * W2: no two methods have the same codes.
 * W3: a call that was answered with "nothing was changed" has changed nothing.
 * W4: of a caller's transaction, everything is committed or nothing.
 */

#define CALLS 3
#define STATES 8
#define FREE 255

/* Every committed state of the database, the newest last. */
typedef Committed {
  byte version;  /* of the method */
  byte fields;   /* a bit for each call that has set its own field */
  byte last;     /* the call that has set the field that all of them set */
  byte revision; /* of the project: how often it was bumped */
  byte holders;  /* how many methods have the pair of codes that all creates want */
  bool before;   /* rows of the host, which its transaction writes before and after our call */
  bool after
}
Committed db[STATES];
byte newest = 0;

/* What each node shows: the newest state, unless the nodes are a cluster that applies changes later. */
#ifdef CLUSTER
byte shown[2];
byte lock[2] = FREE;
#define READ(node) shown[node]
#define LOCK(node) lock[node]
#define CERTIFIED (db[newest].revision == db[snapshot].revision)
#define SHOW(node) shown[node] = newest
#else
byte lock = FREE;
#define READ(node) newest
#define LOCK(node) lock
#define CERTIFIED true
#define SHOW(node) skip
#endif

byte faults = 2; /* how often a connection breaks or the server refuses */

mtype = { none, done, refused, unavailable, unknown };
mtype answered[CALLS] = none;
byte commits[CALLS]; /* how many commits of this call took place */
byte isDone = 0;

hidden byte i;
byte expected;
bool W1 = true, W2 = true, W3 = true, W4 = true, REACHED = true;

/* With one of these flags, the run fails as soon as the model gets there. */
#ifdef CAN_BE_UNKNOWN_AND_HAPPEN
#define REACH_UNKNOWN(call) REACHED = commits[call] == 0; assert(REACHED)
#else
#define REACH_UNKNOWN(call) skip
#endif
#ifdef CAN_WIN_AGAIN
#define REACH_AGAIN REACHED = tries == 0; assert(REACHED)
#else
#define REACH_AGAIN skip
#endif

inline append() {
  db[newest + 1].version = db[newest].version;
  db[newest + 1].fields = db[newest].fields;
  db[newest + 1].last = db[newest].last;
  db[newest + 1].revision = db[newest].revision;
  db[newest + 1].holders = db[newest].holders;
  db[newest + 1].before = db[newest].before;
  db[newest + 1].after = db[newest].after;
  newest++
}

inline putUpdate(call) {
  db[newest].version = version + 1;
  db[newest].fields = fields | (1 << call);
  db[newest].last = call
}

inline unlock() {
  if
  :: LOCK(node) == me -> LOCK(node) = FREE
  :: else
  fi
}

inline answer(what) {
  answered[me] = what;
  isDone++;
  version = 0; fields = 0; snapshot = 0; tries = 0; wanted = 0
}

#define UPDATE 0
#define UPDATE_IF_MATCH 1
#define CREATE 2

/* A call outside of the caller's transactions. `tries` are those of one transaction, after a lost race. */
proctype Call(byte me) {
  byte node, kind, wanted, version, fields, snapshot, tries;

  atomic {
#ifdef CLUSTER
    node = me % 2;
#endif
    if
#ifdef CREATES
    :: kind = CREATE
#else
    :: kind = UPDATE
    :: kind = UPDATE_IF_MATCH
#endif
    fi;
    wanted = db[READ(node)].version /* the client has read the method before */
  };

again: /* `again` of untilDone(): read, compare, write */
  atomic {
    version = db[READ(node)].version;
    fields = db[READ(node)].fields;
    snapshot = READ(node);
    if
    :: kind == UPDATE_IF_MATCH && version != wanted -> answer(refused); goto over
    :: kind != CREATE && (fields & (1 << me)) && db[READ(node)].last == me -> answer(done); goto over /* changes nothing */
#ifdef LOOK_THEN_INSERT
    :: kind == CREATE && db[READ(node)].holders > 0 -> answer(refused); goto over
#endif
    :: else
    fi
  };

transaction:
#ifdef LOOK_THEN_INSERT
  skip;
#else
  atomic { LOCK(node) == FREE -> LOCK(node) = me; snapshot = READ(node) };
#endif

  /* The first statements, with the row of the project locked. */
  atomic {
    if
#ifndef NO_VERSION_CHECK
    :: kind != CREATE && version != db[READ(node)].version -> unlock(); goto again /* `lost` */
#endif
#ifndef LOOK_THEN_INSERT
    :: kind == CREATE && db[READ(node)].holders > 0 -> unlock(); answer(refused); goto over /* `taken` */
#endif
    :: else -> version = (kind == CREATE -> version : db[READ(node)].version)
    fi
  };

  atomic {
    if
    :: skip
    :: faults > 0 -> faults--; unlock(); answer(unavailable); goto over /* the connection breaks: rolled back */
#ifdef SERVER_ROLLS_BACK
    :: faults > 0 -> faults--; unlock();
#ifdef GO_ON_AFTER_ROLLBACK
      /* The statements that follow commit by themselves: only the revision is bumped. */
      append(); db[newest].revision++; answer(done); goto over
#else
      goto lostRace
#endif
#endif
    fi
  };

  /* COMMIT */
  atomic {
    if
    :: CERTIFIED ->
      d_step {
        append();
        if
        :: kind == CREATE -> db[newest].holders++
        :: else -> putUpdate(me)
        fi;
        db[newest].revision++;
        commits[me]++;
        SHOW(node)
      };
      unlock();
      if
      :: REACH_AGAIN; answer(done); goto over
      :: faults > 0 -> faults--; REACH_UNKNOWN(me) /* the answer is lost */
      fi
    :: faults > 0 -> faults--; unlock() /* the connection breaks before the server gets the COMMIT */
#ifdef CLUSTER
    :: !CERTIFIED -> unlock();
#ifdef RESEND_AFTER_REFUSED_COMMIT
      /* The transaction is gone. Its last statement and the COMMIT succeed by themselves. */
      append(); db[newest].revision++; answer(done); goto over
#else
      goto lostRace
#endif
#endif
    fi
  };
  /* The outcome is unknown. */
#if defined(RETRY_UNKNOWN)
  goto again;
#elif defined(UNKNOWN_IS_NOTHING)
  atomic { answer(unavailable); goto over };
#else
  atomic { answer(unknown); goto over };
#endif

lostRace: /* A deadlock or a refused COMMIT has rolled everything back. The whole transaction is tried again. */
  atomic {
    tries++;
    if
    :: tries == 3 -> answer(unavailable); goto over
    :: else -> goto transaction
    fi
  };
over:
  skip
}

/* A caller's transaction: a row of the host, our update, another row of the host. It goes on after an error. */
proctype Caller(byte me) {
  byte node = 0, version, fields, snapshot;
  bool isOpen, hasFailed, hasUpdated, hasBefore;

  atomic { LOCK(node) == FREE -> LOCK(node) = me; snapshot = READ(node); isOpen = true; hasBefore = true };
  atomic {
    version = db[READ(node)].version; fields = db[READ(node)].fields;
    if
    :: hasUpdated = true
    :: faults > 0 -> /* a deadlock: the server rolls back all of the transaction */
      faults--; unlock();
      hasBefore = false; isOpen = false;
#ifndef NO_TRANSACTION_IN_ITS_PLACE
      isOpen = true; hasFailed = true
#endif
    fi
  };
  atomic {
    if
    :: isOpen -> skip /* the second row waits for the COMMIT */
    :: else -> append(); db[newest].after = true; SHOW(node) /* it commits by itself */
    fi
  };
  atomic {
    if
    :: isOpen && !hasFailed && CERTIFIED ->
      d_step {
        append();
        if
        :: hasUpdated -> putUpdate(me); db[newest].revision++; commits[me]++
        :: else
        fi;
        db[newest].before = hasBefore; db[newest].after = true; SHOW(node)
      };
      answered[me] = done
    :: else -> answered[me] = refused /* the COMMIT is rejected, and all is rolled back */
    :: answered[me] = refused /* the caller rolls back */
    fi;
    unlock();
    version = 0; fields = 0; snapshot = 0; hasUpdated = false; hasBefore = false; hasFailed = false; isOpen = false;
    isDone++
  }
}

#ifdef CLUSTER
/* A node applies what the others have committed, in the order of all. */
proctype Apply(byte node) {
end:
  do
  :: atomic { shown[node] < newest -> shown[node]++ }
  od
}
#endif

/* When all calls are answered, the ledger is compared with the database. */
proctype Ledger() {
  d_step {
    isDone == CALLS ->
    expected = 1;
    for (i : 0 .. CALLS - 1) {
      expected = expected + (answered[i] == done || (answered[i] == unknown && commits[i] > 0) -> 1 : 0);
      W3 = W3 && (answered[i] == done || answered[i] == unknown || commits[i] == 0);
#ifndef CREATES
      W1 = W1 && (answered[i] != done || (db[newest].fields & (1 << i)))
#endif
    }
    i = 0;
#ifndef CREATES
    W1 = W1 && db[newest].version == expected;
#endif
    W2 = db[newest].holders <= 1;
    W4 = db[newest].before == db[newest].after;
    assert(W3); assert(W1); assert(W2); assert(W4)
  }
}

init {
  atomic {
    db[0].version = 1;
    db[0].last = FREE;
    run Ledger();
#ifdef CLUSTER
    run Apply(0); run Apply(1);
#endif
    run Call(0); run Call(1);
#ifdef CALLER
    run Caller(2)
#else
    run Call(2)
#endif
  }
}
