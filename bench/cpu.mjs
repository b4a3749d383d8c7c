import { readFileSync } from 'node:fs';

/** Of USER_HZ, which is 100 wherever Node runs on Linux. */
const ticksPerSecond = 100;

/**
 * Of a process and its children: a PostgreSQL server has many. NaN where the system
 * does not tell, or the process is not here.
 */
export function cpuSeconds(pid) {
  try {
    const own = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in parentheses, may hold blanks.
    const fields = own.slice(own.lastIndexOf(')') + 2).split(' ');
    // As user and in the kernel; the same of children that have ended.
    const seconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuSeconds(child), seconds);
  } catch {
    return Number.NaN;
  }
}
