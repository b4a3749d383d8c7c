// Loaded into the sample by --import. On request it sends the bench measurements that only the process itself can take.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', () => {
  process.send({ maxRss: process.resourceUsage().maxRSS * 1024, stallMs: delay.max / 1e6 });
  delay.reset();
});
