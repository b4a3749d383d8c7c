import { addEngine } from './contenders.mjs';
import { engines } from './engines.mjs';
import { measureLookups } from './lookups.mjs';
import { measureMemory } from './memory.mjs';
import { measurePeers } from './peers.mjs';
import { measureRatios } from './ratios.mjs';
import { cleanUp } from './processes.mjs';
import { keep } from './report/results.mjs';
import { printRows } from './report/rows.mjs';
import { copySample } from './sample.mjs';
import { measureScale } from './scale.mjs';

const parts = {
  ratios: measureRatios,
  peers: measurePeers,
  scale: measureScale,
  memory: measureMemory,
  lookups: measureLookups,
};

export async function bench(options) {
  const engine = engines[options.engine];
  addEngine(engine);
  for (const name of options.parts) {
    copySample();
    const result = await parts[name](options);
    // The look-ups have tables of their own, and print them.
    if (result) {
      printRows(result.rows);
      if (options.write) await keep(engine.part ?? name, result, await engine.version());
    }
    // The next part starts with its own server, and without the connections of this part.
    await cleanUp();
  }
}
