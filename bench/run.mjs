// Measures how fast the library is, beside others on the same machine at the same time. See README.md.
import { prepare } from './install.mjs';
import { readOptions, usage } from './options.mjs';
import { cleanUp } from './processes.mjs';

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(130)));
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
  } else {
    prepare(options);
    // The packages that it imports are installed only now.
    const { bench } = await import('./bench.mjs');
    await bench(options);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
