import { SampleProcess } from '../../../test/support/sample-process.js';

/** Starts the host of the attacks in its own process. The caller must end it. */
export function startHost(env: Readonly<Record<string, string>>): Promise<SampleProcess> {
  return SampleProcess.start({ env, command: 'exec node --import tsx lab/campaign/faults/host.ts' });
}
