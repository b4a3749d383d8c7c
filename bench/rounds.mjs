import { firstTimed } from './check.mjs';
import { cpuSeconds } from './cpu.mjs';
import { scenarios } from './scenarios.mjs';

const warmUpSeconds = 0.5;

/**
 * Runs slices of load, one contender after another: A B C C B A. Whoever comes later finds warmer buffers, so the order
 * must not favour anyone within a round.
 * @param generate gives a job to the load generator
 * @param next the number of each contender's next request. It is kept from round to round.
 * @returns the measurements of each contender
 */
export async function measureRound({ scenario, contenders, size, seconds, generate, next }) {
  const { connections } = scenarios[scenario];
  const slice = async ({ name, port, pids }, length) => {
    const from = next.get(name) ?? firstTimed;
    const before = pids.map(cpuSeconds);
    const job = { scenario, contender: name, size, port, connections, seconds: length, from };
    const measured = await generate(job);
    const requests = measured.next - from;
    const [serverCpu, databaseCpu = 0] = pids.map(
      (pid, index) => (cpuSeconds(pid) - before[index]) / requests,
    );
    next.set(name, measured.next);
    return [name, { ...measured, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu }];
  };
  for (const contender of contenders) await slice(contender, warmUpSeconds);

  const measured = new Map();
  for (const contender of [...contenders, ...contenders.toReversed()]) {
    const [name, half] = await slice(contender, seconds / 2);
    measured.set(name, measured.has(name) ? meanOf(measured.get(name), half) : half);
  }
  return Object.fromEntries(measured);
}

/** Of two measurements, which have the same keys. */
function meanOf(one, other) {
  return Object.fromEntries(Object.keys(one).map((key) => [key, (one[key] + other[key]) / 2]));
}
