// This process generates the load. It gets a job from its parent, and responds with the measurements.
import { Connection } from './connection.mjs';
import { requestOf } from '../scenarios.mjs';

const rampMs = 300;

process.on('message', async (job) => {
  try {
    process.send({ measured: await run(job) });
  } catch (error) {
    process.send({ failed: `${job.contender}, ${job.scenario}: ${error.message}` });
  }
});

/** Sends the requests `from`, `from + 1` and so on of a scenario, for some seconds. */
async function run({ scenario, contender, port, connections, seconds, from }) {
  const textOf = requestText(contender, scenario, port);
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const check = checker();
  const latencies = [];
  let next = from;
  const start = performance.now() + rampMs;
  const end = start + seconds * 1000;
  try {
    await Promise.all(
      open.map(async (connection) => {
        for (let sent = performance.now(); sent < end;) {
          const text = textOf(next++);
          const { status, length } = await connection.request(text);
          check(text, status, length);
          const now = performance.now();
          if (now >= start && now < end) latencies.push(now - sent);
          sent = now;
        }
      }),
    );
  } finally {
    for (const connection of open) connection.close();
  }
  latencies.sort((a, b) => a - b);
  return {
    rate: latencies.length / seconds,
    p99: latencies[Math.floor(latencies.length * 0.99)],
    next,
  };
}

/** Checks that a repeated read has the same length, because no scenario writes what it reads. */
function checker() {
  const lengths = new Map();
  return (text, status, length) => {
    const isRead = text.startsWith('GET ');
    const known = isRead ? lengths.get(text) : undefined;
    if (isRead && known === undefined) lengths.set(text, length);
    if ((status !== 200 && status !== 201) || length !== (known ?? length)) {
      throw new Error(`${status} and ${length} bytes to ${text.split('\r\n', 1)[0]}`);
    }
  };
}

function requestText(contender, scenario, port) {
  return (number) => {
    const { method = 'GET', path, body } = requestOf(contender, scenario, number);
    const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    if (!body) return `${head}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}
