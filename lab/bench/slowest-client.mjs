// Sends the requests that its parent names, in a thread of its own.
import { parentPort } from 'node:worker_threads';

parentPort.on('message', async (url) => {
  const response = await fetch(url);
  await response.arrayBuffer();
  parentPort.postMessage(response.status);
});
