/*
 * Freshness: two instances answer lists from their caches, while writers, callers' transactions and an operator
 * change the database. README.md says which line of code each step stands for, and what each flag changes.
 *
 * F1: an answered body is that of a state which the database had between the request's arrival and its answer.
 * F2: no revision ever names two different bodies.
 */

#define NONE 255
#define REQUESTS 3 /* the first client asks twice, the second one once */
#define WRITERS 2
#define ENTRIES (REQUESTS + WRITERS)
#define STATES 6 /* at first, an import, a restore, a commit of each writer, and one more in some variants */

/* A revision that a writer makes is random: `fresh` is never restored, so no value comes back. */
#define NEVER 0 /* the revision of a project without a row */
#ifdef NEVER_IS_ZERO
#define IMPORTED 0
#else
#define IMPORTED 1 /* what an import happens to bring along */
#endif
byte fresh = 2;
byte freshData = 2;

/* Every committed state of the database, the newest last. The shop's content says whether it uses the defaults. */
typedef Committed {
  byte shop;
  byte shopRevision;
  bool follows;
  byte defaults;
  byte defaultsRevision
}
Committed db[STATES];
byte newest = 0;

/* What each node of the database shows: the newest state, unless the nodes are a cluster that applies changes later. */
#ifdef CLUSTER
byte shown[2];
#define READ(node) shown[node]
#define CERTIFIED(node, project) (CURRENT_REVISION(newest) == CURRENT_REVISION(snapshot))
#else
#define READ(node) newest
#define CERTIFIED(node, project) true
#endif
#if defined(CLUSTER) && defined(SYNC_WAIT)
#define SEND sent = newest
#define CAN_READ(node) (shown[node] >= sent)
#else
#define SEND skip
#define CAN_READ(node) true
#endif

#define OWN_REVISION(s) db[s].shopRevision
#ifdef WITHOUT_DEFAULTS
#define REVISION(s) (OWN_REVISION(s) * 8)
#else
#define REVISION(s) (OWN_REVISION(s) * 8 + (db[s].follows -> db[s].defaultsRevision : 0))
#endif
#define BODY(s) (db[s].shop * 8 + (db[s].follows -> db[s].defaults : 0))

/* An instance that was upgraded spells its JSON in another form. */
#ifdef UPGRADE
#define FORM(instance) (instance * 64)
#else
#define FORM(instance) 0
#endif
#ifdef FORMLESS
#define FORM_IN_REVISION(instance) 0
#else
#define FORM_IN_REVISION(instance) FORM(instance)
#endif

/* A request makes at most one entry of the cache, which has the request's number. */
typedef Entry {
  bool isMade;
  byte revision;
  byte body
}
Entry entry[ENTRIES];
byte cached[2] = NONE; /* the entry of the list in each instance */

#ifdef JOIN_RUNNING_BATCH
bool isRunning[2];
byte lookedUp[2];
#endif

#define FREE 255
#ifdef CLUSTER
byte lock[4] = FREE;
#define LOCK(node, project) lock[node * 2 + project]
#else
byte lock[2] = FREE;
#define LOCK(node, project) lock[project]
#endif
bool wasRestored = false;

hidden byte i;
bool F1 = true, F2 = true, REACHED = true;

/* With one of these flags, the run fails as soon as the model gets there. */
#ifdef CAN_ANSWER_304
#define REACH_304 REACHED = false; assert(REACHED)
#else
#define REACH_304 skip
#endif
#ifdef CAN_HIT
#define REACH_HIT REACHED = false; assert(REACHED)
#else
#define REACH_HIT skip
#endif
#ifdef CAN_SHARE_A_NEWER_ENTRY
#define REACH_NEWER REACHED = false; assert(REACHED)
#else
#define REACH_NEWER skip
#endif

inline copyState(from, to) {
  db[to].shop = db[from].shop;
  db[to].shopRevision = db[from].shopRevision;
  db[to].follows = db[from].follows;
  db[to].defaults = db[from].defaults;
  db[to].defaultsRevision = db[from].defaultsRevision
}

/* Nobody has seen this revision with another body, and the database never had it with another one. */
inline checkName(instance, itsRevision, itsBody) {
  d_step {
    for (i : 0 .. newest) {
      F2 = F2 && (REVISION(i) + FORM_IN_REVISION(instance) != itsRevision || BODY(i) + FORM(instance) == itsBody)
    }
    for (i : 0 .. ENTRIES - 1) {
      F2 = F2 && (!entry[i].isMade || entry[i].revision != itsRevision || entry[i].body == itsBody)
    }
    i = 0;
    assert(F2)
  }
}

inline answer(itsBody) {
  d_step {
#ifndef WITHOUT_F1
    F1 = false;
    for (i : arrived .. newest) {
      F1 = F1 || BODY(i) == itsBody % 64
    }
    i = 0;
    assert(F1)
#else
    skip
#endif
  }
}

inline lookUp(result) {
#ifdef JOIN_RUNNING_BATCH
  if
  :: isRunning[at] -> result = lookedUp[at]
  :: !isRunning[at] ->
    atomic { lookedUp[at] = REVISION(READ(at)); isRunning[at] = true };
    atomic { result = lookedUp[at]; isRunning[at] = false }
  fi
#else
  SEND;
  atomic { CAN_READ(at) -> result = REVISION(READ(at)) + FORM_IN_REVISION(at) }
#endif
}

/* One statement reads the body and its revision, so both are of one moment. */
inline make(e) {
  SEND;
#ifdef TWO_STATEMENTS
  looked = REVISION(READ(at));
  body = BODY(READ(at));
#else
  atomic {
    CAN_READ(at) ->
    looked = REVISION(READ(at)) + FORM_IN_REVISION(at);
    body = BODY(READ(at)) + FORM(at)
  };
#endif
  atomic {
    checkName(at, looked, body);
    entry[e].revision = looked;
    entry[e].body = body;
    entry[e].isMade = true;
    looked = 0; body = 0
  }
}

/* Each request goes to any instance. The second one of a client sends the ETag of its first answer. */
proctype Client(byte me) {
  byte request, at, arrived, looked, body, known, held, heldTag, sent;
  bool holds;

  for (request : me * 2 .. (me == 0 -> 1 : 2)) {
    atomic {
      if
      :: at = 0
      :: at = 1
      fi;
      arrived = newest
    };

    if
    :: holds ->
      lookUp(looked);
      if
      :: looked == heldTag -> REACH_304; checkName(at, heldTag, held); answer(held); goto answered
      :: else
      fi
    :: else
    fi;

    known = cached[at];
    if
    :: known != NONE ->
      lookUp(looked);
      atomic {
        entry[known].isMade;
        if
        :: entry[known].revision == looked -> REACH_HIT; goto take
        :: else
        fi
      }
    :: else
    fi;

    atomic {
      looked = 0;
      if /* In one tick. A newer entry was asked for after this request came. */
      :: cached[at] != NONE && cached[at] != known -> known = cached[at]; entry[known].isMade; REACH_NEWER; goto take
      :: else -> known = request; cached[at] = request
      fi
    };
    make(request);

take:
    atomic {
      held = entry[known].body; heldTag = entry[known].revision; holds = true;
      answer(held)
    };
answered:
    atomic {
      looked = 0; known = 0; arrived = 0; sent = 0; at = 0;
      if
      :: request != 0 -> held = 0; heldTag = 0; holds = false
      :: else
      fi
    }
  }
}

inline append() {
  copyState(newest, newest + 1);
  newest++
}

#define SHOP 0
#define DEFAULTS 1
#define CURRENT_REVISION(s) (project == SHOP -> db[s].shopRevision : db[s].defaultsRevision)

inline putData() {
  if
  :: project == SHOP -> db[newest].shop = data; db[newest].follows = follows
  :: else -> db[newest].defaults = data
  fi
}

inline putRevision() {
  if
  :: project == SHOP -> db[newest].shopRevision = revision
  :: else -> db[newest].defaultsRevision = revision
  fi
}

inline newRevision() {
#if defined(COUNTER)
  revision = CURRENT_REVISION(READ(node)) + 1
#elif defined(COUNTER_BEFORE_LOCK)
  revision = seen + 1
#elif defined(CLOCK)
  if /* what the clock says: it may have been ahead, and set back since */
  :: revision = 3
  :: revision = 4
  fi;
  if
  :: revision <= CURRENT_REVISION(READ(node)) -> revision = CURRENT_REVISION(READ(node)) + 1
  :: else
  fi
#else
  revision = fresh; fresh++
#endif
}

/* A list that is read inside of the transaction of a writer. Its ETag goes out, even if a rollback follows. */
inline readInTransaction() {
  atomic {
    if
    :: project == SHOP ->
      looked = revision * 8 + (follows -> db[READ(node)].defaultsRevision : 0);
      body = data * 8 + (follows -> db[READ(node)].defaults : 0)
    :: else ->
      looked = OWN_REVISION(READ(node)) * 8 + (db[READ(node)].follows -> revision : 0);
      body = db[READ(node)].shop * 8 + (db[READ(node)].follows -> data : 0)
    fi;
    checkName(node, looked, body);
    entry[REQUESTS + me].revision = looked;
    entry[REQUESTS + me].body = body;
    entry[REQUESTS + me].isMade = true;
#ifdef CACHE_IN_TRANSACTION
    cached[node] = REQUESTS + me;
#endif
    looked = 0; body = 0
  }
}

proctype Writer(byte me) {
  byte node, project, data, revision, snapshot, looked, body, seen;
  bool follows, began;

  atomic {
    node = me;
    if
    :: project = SHOP; if :: follows = true :: follows = false fi
    :: project = DEFAULTS
    fi
  };
#ifdef COUNTER_BEFORE_LOCK
  seen = CURRENT_REVISION(newest);
#endif
  atomic {
    LOCK(node, project) == FREE ->
    LOCK(node, project) = me; began = wasRestored; snapshot = READ(node);
    data = freshData; freshData++;
#if defined(NO_TURNS)
    revision = CURRENT_REVISION(newest)
#else
    newRevision()
#endif
  };

#if defined(REVISION_FIRST)
  atomic { append(); putRevision() }; /* it commits by itself */
  atomic { append(); putData() };
#elif defined(DATA_FIRST)
  atomic { append(); putData() };
  atomic { append(); putRevision() };
#else
#ifndef ONLY_COMMITS
  if
  :: readInTransaction()
  :: skip
  fi;
#endif
#ifdef NO_TURNS
  newRevision();
#endif
#endif
  atomic {
    if
#if !defined(REVISION_FIRST) && !defined(DATA_FIRST)
    :: began == wasRestored && CERTIFIED(node, project) ->
      append(); putData(); putRevision();
#ifdef CLUSTER
      shown[node] = newest
#endif
#endif
#ifdef ONLY_COMMITS
    :: else
#else
    :: skip /* a rollback, by the caller or because the server was stopped */
#endif
    fi;
    if
    :: LOCK(node, project) == me -> LOCK(node, project) = FREE
    :: else
    fi;
    node = 0; project = 0; data = 0; revision = 0; snapshot = 0; follows = false; began = false; seen = 0
  }
}

/* Imports a project that has no row. */
proctype Import() {
  if
  :: d_step {
      db[newest].shopRevision == NEVER && db[newest].shop == 0 && LOCK(0, SHOP) == FREE ->
      append();
      db[newest].shop = 1; db[newest].shopRevision = IMPORTED
    }
  :: skip
  fi
}

/* Takes a backup, and restores it later. The server is stopped for this, which ends all transactions. */
proctype Restore() {
  byte backup = newest;

  d_step {
    copyState(backup, newest + 1);
    newest++; backup = 0;
    wasRestored = true; LOCK(0, SHOP) = FREE; LOCK(0, DEFAULTS) = FREE
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

init {
  atomic {
    db[0].defaults = 1;
    db[0].defaultsRevision = 1;
    run Client(0);
#ifndef ONE_CLIENT
    run Client(1);
#endif
    run Writer(0); run Writer(1);
#ifdef IMPORT
    run Import();
#endif
#ifdef RESTORE
    run Restore();
#endif
#ifdef CLUSTER
    run Apply(0); run Apply(1)
#endif
  }
}
