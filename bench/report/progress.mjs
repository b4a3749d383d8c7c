const width = 30;

/** A moving bar on a terminal. Elsewhere it is one line, printed when it is full. */
export function progressBar(title, total) {
  const started = Date.now();
  let done = 0;
  const draw = () => {
    const filled = Math.round((done / total) * width);
    return `  ${'█'.repeat(filled)}${'░'.repeat(width - filled)} ${done.toLocaleString('en-US')} ${title}`;
  };
  return {
    advance(count) {
      done += count;
      if (process.stdout.isTTY) process.stdout.write(`\r${draw()}`);
    },
    done() {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      process.stdout.write(`${process.stdout.isTTY ? '\r' : ''}${draw()} in ${seconds} s\n`);
    },
  };
}
