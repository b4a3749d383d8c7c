// Checks the models with SPIN, in about two minutes. A design that holds must pass. A variant of it must fail, with the
// property that is named here. `npm run models -- --trace DATA_FIRST` prints the steps of a counter-example.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const freshness = 'freshness.pml';
const write = 'write.pml';

/** What must hold: all properties, in all interleavings. */
const designs = [
  [freshness, '', 'two clients, two writers'],
  [freshness, 'ONE_CLIENT RESTORE', 'a restore from a backup'],
  [freshness, 'ONE_CLIENT IMPORT', 'an import into a project without a row'],
  [freshness, 'ONE_CLIENT UPGRADE', 'one instance is upgraded'],
  [freshness, 'ONE_CLIENT CLUSTER SYNC_WAIT', 'a cluster whose reads wait'],
  [freshness, 'ONE_CLIENT CLUSTER WITHOUT_F1', 'a cluster whose reads do not wait: F2 only'],
  [write, '', 'three updates, broken connections'],
  [write, 'CREATES', 'three creates of one pair of codes'],
  [write, 'CALLER', "two updates beside a caller's transaction"],
  [write, 'SERVER_ROLLS_BACK', 'deadlocks, retried'],
  [write, 'SERVER_ROLLS_BACK CREATES', 'deadlocks of creates, retried'],
  [write, 'CLUSTER', 'updates on two nodes, certified at COMMIT'],
  [write, 'CLUSTER CREATES', 'creates on two nodes'],
  [write, 'CLUSTER CALLER', "a caller's transaction on a cluster"],
];

/** What the design excludes, and the property that shows why. */
const variants = [
  [freshness, 'ONE_CLIENT ONLY_COMMITS RESTORE COUNTER', 'F2', 'a counter, and a restore'],
  [freshness, 'ONE_CLIENT COUNTER', 'F2', 'a counter, and a rollback'],
  [freshness, 'ONE_CLIENT ONLY_COMMITS RESTORE CLOCK', 'F2', 'a clock that was ahead, and a restore'],
  [freshness, 'ONE_CLIENT ONLY_COMMITS COUNTER_BEFORE_LOCK', 'F2', 'a counter that is read before the lock'],
  [freshness, 'ONE_CLIENT IMPORT NEVER_IS_ZERO', 'F2', 'no row and a row have the same revision'],
  [freshness, 'ONE_CLIENT UPGRADE FORMLESS', 'F2', 'a revision that does not know the form of the JSON'],
  [freshness, 'ONE_CLIENT WITHOUT_DEFAULTS', 'F2', 'a revision that leaves out the defaults'],
  [freshness, 'TWO_STATEMENTS', 'F2', 'revision and body from two statements'],
  [freshness, 'REVISION_FIRST', 'F2', 'the revision is bumped in a transaction of its own, before'],
  [freshness, 'DATA_FIRST', 'F2', 'the revision is bumped in a transaction of its own, after'],
  [freshness, 'NO_TURNS', 'F2', 'a transaction reads between its data and its revision'],
  [freshness, 'CACHE_IN_TRANSACTION', 'F1', 'what a transaction reads is cached'],
  [freshness, 'JOIN_RUNNING_BATCH', 'F1', 'a request joins a look-up that was sent before'],
  [freshness, 'CLUSTER', 'F1', 'a cluster whose reads do not wait'],
  [write, 'NO_VERSION_CHECK', 'W1', 'a write that does not compare the version'],
  [write, 'LOOK_THEN_INSERT CREATES', 'W2', 'look, then insert, without lock and unique index'],
  [write, 'RETRY_UNKNOWN', 'W3', 'an update is retried after an unknown commit'],
  [write, 'RETRY_UNKNOWN CREATES', 'W3', 'a create is retried after an unknown commit'],
  [write, 'UNKNOWN_IS_NOTHING', 'W3', 'a broken connection is taken for one that was never opened'],
  [
    write,
    'CLUSTER RESEND_AFTER_REFUSED_COMMIT',
    'W1',
    'the last statement is sent again after a refused COMMIT',
  ],
  [write, 'SERVER_ROLLS_BACK GO_ON_AFTER_ROLLBACK', 'W1', 'statements follow an implicit rollback'],
  [write, 'CALLER NO_TRANSACTION_IN_ITS_PLACE', 'W4', 'a caller goes on after an implicit rollback'],
];

/** A model that never gets there would prove nothing. */
const reached = [
  [freshness, 'CAN_ANSWER_304', 'REACHED', 'an answer 304'],
  [freshness, 'CAN_HIT', 'REACHED', 'an answer from the cache'],
  [freshness, 'CAN_SHARE_A_NEWER_ENTRY', 'REACHED', 'a newer entry that another request makes'],
  [write, 'CAN_BE_UNKNOWN_AND_HAPPEN', 'REACHED', 'an unknown outcome that happened'],
  [write, 'CLUSTER CAN_WIN_AGAIN', 'REACHED', 'a change that lost a race and wins then'],
];

const models = fileURLToPath(new URL('.', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'shipping-models-'));
const run = (...command) => execFileSync(command[0], command.slice(1), { cwd: folder, encoding: 'utf8' });

/** @returns the property that fails, or nothing, and how many states there are */
function check(model, flags, expected) {
  run('spin', '-a', ...flags.map((flag) => `-D${flag}`), model);
  // To compile takes longer than to find a counter-example.
  const optimization = expected === 'holds' ? '-O1' : '-O0';
  run('gcc', optimization, '-w', '-DSAFETY', '-DCOLLAPSE', '-DMEMLIM=2000', '-o', 'pan', 'pan.c');
  const out = run('./pan', '-m10000');
  const [, states = '?'] = /(\d+) states, stored/.exec(out) ?? [];
  const [, failed] = /assertion violated \(?(\w+)/.exec(out) ?? [];
  // The search must be complete. A state in which nothing can go on is a mistake in the model.
  const isWhole = /errors: 0/.test(out) && !/max search depth too small|out of memory/.test(out);
  return { states, result: failed ?? (isWhole ? 'holds' : 'not checked') };
}

function report(title, checks) {
  console.log(`\n${title}`);
  let failures = 0;
  for (const [model, flags, expected, what] of checks) {
    const since = Date.now();
    const { states, result } = check(model, flags.split(' ').filter(Boolean), expected);
    const seconds = ((Date.now() - since) / 1000).toFixed(1);
    const verdict = result === expected ? '✓' : `✗ expected ${expected}:`;
    if (result !== expected) failures++;
    console.log(
      `${verdict} ${result.padEnd(7)} ${states.padStart(8)} states ${seconds.padStart(5)} s  ${model} ${flags || '–'}: ${what}`,
    );
  }
  return failures;
}

/** What only copies a state, or compares all of them. */
const isBookkeeping = /\[(i = |\.\(goto\)|DO|F[12] = |\(\(?i<|db\[\(newest\+1\)\]|\(?1\)?\]|else)/;

/** Prints a short counter-example: the steps, and the values that they change. */
function trace(name) {
  const found = [...variants, ...reached].find(([, flags]) => flags.split(' ').at(-1) === name);
  if (!found) throw new Error(`There is no variant ${name}.`);
  const [model, flags] = found;
  const defined = flags.split(' ').map((flag) => `-D${flag}`);
  run('spin', '-a', ...defined, model);
  run('gcc', '-O1', '-w', '-DSAFETY', '-DREACH', '-DMEMLIM=2000', '-o', 'pan', 'pan.c');
  run('./pan', '-i', '-m200');
  const values = new Map();
  for (const line of run('spin', '-t', '-p', '-g', '-l', ...defined, model).split('\n')) {
    const [, variable, value] = /^\t+(\S+) = (\d+)$/.exec(line) ?? [];
    if (line.startsWith('#processes') || line.startsWith('spin: trail')) break;
    if (variable ? values.get(variable) === value : isBookkeeping.test(line)) continue;
    if (variable === 'i') continue;
    values.set(variable, value);
    console.log(line.replace(/:1\)/, ')').replace(/\(state \d+\)/, ''));
  }
}

const isMissing = ['spin', 'gcc'].filter((tool) => spawnSync(tool, ['--version']).error);
if (isMissing.length > 0) {
  console.log(
    `The models are skipped: ${isMissing.join(' and ')} not found. On Debian: apt-get install spin gcc.`,
  );
} else {
  try {
    for (const model of [freshness, write]) cpSync(join(models, model), join(folder, model));
    const [option, names] = process.argv.slice(2);
    if (option === '--trace') trace(names);
    else {
      const failures =
        report(
          'What must hold',
          designs.map(([model, flags, what]) => [model, flags, 'holds', what]),
        ) +
        report('What the design excludes: each must fail', variants) +
        report('What the models must be able to do: each must be reached', reached);
      console.log(failures === 0 ? '\nAll as expected.' : `\n${failures} not as expected.`);
      process.exitCode = failures === 0 ? 0 : 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
