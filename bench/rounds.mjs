import { firstTimed } from './check.mjs';
import { cpuSeconds } from './cpu.mjs';
import { scenarios } from './scenarios.mjs';

const warmUpSeconds = 1;

/**
 * Runs slices of load, one contender after another. Each round goes forwards and then backwards: A B C C B A. Whoever
 * comes later finds warmer buffers, so the order must not favour anyone within a round.
 * @param generate gives a job to the load generator
 * @returns the measurements of each contender in each round
 */
export async function measureRounds({ scenario, contenders, size, rounds, seconds, generate }) {
  const { connections } = scenarios[scenario];
  const next = new Map(contenders.map(({ name }) => [name, firstTimed]));
  const slice = async ({ name, port, pids }, length) => {
    const job = { scenario, contender: name, size, port, connections, seconds: length, from: next.get(name) };
    const before = pids.map(cpuSeconds);
    const measured = await generate(job);
    const requests = measured.next - next.get(name);
    const [serverCpu, databaseCpu = 0] = pids.map(
      (pid, index) => (cpuSeconds(pid) - before[index]) / requests,
    );
    next.set(name, measured.next);
    return [name, { ...measured, serverCpu, databaseCpu, cpu: serverCpu + databaseCpu }];
  };
  for (const contender of contenders) await slice(contender, warmUpSeconds);

  const results = [];
  for (let round = 0; round < rounds; round++) {
    const measured = new Map();
    for (const contender of [...contenders, ...contenders.toReversed()]) {
      const [name, half] = await slice(contender, seconds / 2);
      measured.set(name, measured.has(name) ? meanOf(measured.get(name), half) : half);
    }
    results.push(Object.fromEntries(measured));
  }
  return results;
}

/** Of two measurements, which have the same keys. */
function meanOf(one, other) {
  return Object.fromEntries(Object.keys(one).map((key) => [key, (one[key] + other[key]) / 2]));
}
