import { median } from './report/rows.mjs';
import { Connection } from './load/connection.mjs';

/**
 * Sends one request at a time, alternately to each side, so that all of them have the same conditions.
 * @param sides each `{ port, path(number), before?(number) }`; `before` is not timed
 * @returns for each side the median in milliseconds
 */
export async function alternate(sides, count, from) {
  const open = await Promise.all(
    sides.map(async (side) => ({ ...side, connection: await Connection.open(side.port), times: [] })),
  );
  for (let number = from; number < from + count; number++) {
    for (const { connection, path, before, port, times } of open) {
      await before?.(number);
      const start = performance.now();
      const { status } = await connection.request(
        `GET ${path(number)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
      );
      times.push(performance.now() - start);
      if (status !== 200) throw new Error(`${status} to ${path(number)}`);
    }
  }
  for (const { connection } of open) connection.close();
  return open.map(({ times }) => median(times));
}
