// Loaded into the sample by --import: tells the bench, when asked, what no other process can see.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

process.on('message', () => {
  process.send({ maxRss: process.resourceUsage().maxRSS * 1024, stallMs: delay.max / 1e6 });
  delay.reset();
});
