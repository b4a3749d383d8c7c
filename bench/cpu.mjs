import { readFileSync } from 'node:fs';

/** USER_HZ, which is 100 wherever Node runs on Linux. */
const ticksPerSecond = 100;

/**
 * The CPU time of a process and its children, of which a PostgreSQL server has many. NaN when the system does not
 * provide it, or the process is on another machine.
 */
export function cpuSeconds(pid) {
  try {
    const own = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may contain blanks.
    const fields = own.slice(own.lastIndexOf(')') + 2).split(' ');
    // User and kernel time of the process, and the same of its children that have ended.
    const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuSeconds(child), seconds);
  } catch {
    return Number.NaN;
  }
}
