import { measureMemory } from './memory.mjs';
import { measurePeers } from './peers.mjs';
import { measureRatios } from './ratios.mjs';
import { cleanUp } from './processes.mjs';
import { keep } from './report/results.mjs';
import { printRows } from './report/rows.mjs';
import { serverVersion } from './postgres.mjs';
import { copySample } from './sample.mjs';
import { measureScale } from './scale.mjs';

const parts = { ratios: measureRatios, peers: measurePeers, scale: measureScale, memory: measureMemory };

export async function bench(options) {
  for (const name of options.parts) {
    copySample();
    const result = await parts[name](options);
    printRows(result.rows);
    if (options.write) await keep(name, result, await serverVersion());
    // The next part starts with its own server, and without the connections of this part.
    await cleanUp();
  }
}
