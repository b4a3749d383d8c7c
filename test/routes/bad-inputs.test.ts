import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { adapters } from '../support/app.js';
import { respondsExactly } from '../support/bad-inputs.js';
import { ground } from '../support/client.js';
import { wholeBodies } from './bad-inputs/bodies.js';
import { eachField } from './bad-inputs/fields.js';
import { conditionalHeaders } from './bad-inputs/headers.js';
import { listQueries } from './bad-inputs/list.js';
import { mediaTypes } from './bad-inputs/media-types.js';
import { metaField } from './bad-inputs/meta.js';
import { paths } from './bad-inputs/paths.js';
import { precedence } from './bad-inputs/precedence.js';
import { bytesAndFraming } from './bad-inputs/wire.js';

// All inputs are in one file, so that each adapter needs only one app.
respondsExactly('bad inputs', [
  ...precedence,
  ...paths,
  ...conditionalHeaders,
  ...mediaTypes,
  ...bytesAndFraming,
  ...wholeBodies,
  ...eachField,
  ...metaField,
  ...listQueries,
]);

const good = JSON.stringify(ground);

describe.each(adapters)('a body that is cut off, on %s,', (adapter) => {
  const host = mounted({ adapter });

  it.each([1, 20, good.length - 1])('stores nothing when it ends after %i bytes', async (length) => {
    const shop = host.shop();
    const head = `POST ${shop.base}/shipments/methods HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const socket = connect(Number(new URL(host.app.origin).port), '127.0.0.1');

    socket.end(`${head}Content-Length: ${good.length}\r\n\r\n${good.slice(0, length)}`);
    socket.resume();
    await once(socket, 'close');

    const { status, body } = await shop.list();
    expect(status).toBe(200);
    expect(body.meta.total).toBe(0);
  });
});
