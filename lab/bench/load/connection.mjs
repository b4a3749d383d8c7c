import { once } from 'node:events';
import { connect } from 'node:net';

const bufferBytes = 64 * 1024;

/** The status line and the headers of every contender are shorter. */
const maxHeadBytes = 2048;

/**
 * One keep-alive connection with one request at a time. It reads only the HTTP/1.1 that our contenders send, and fails
 * on anything else.
 */
export class Connection {
  #socket;
  #response;

  static async open(port) {
    const connection = new Connection();
    // The socket always reads into the same buffer. A stream of chunks would cost twice as much.
    const onread = {
      buffer: Buffer.allocUnsafe(bufferBytes),
      callback: (length, buffer) => connection.#receive(length, buffer),
    };
    connection.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    await once(connection.#socket, 'connect');
    connection.#socket.on('error', (error) => connection.#response?.reject(error));
    connection.#socket.on('close', () =>
      connection.#response?.reject(new Error('The connection was closed.')),
    );
    return connection;
  }

  /** @returns the status and the number of bytes of the body */
  request(text) {
    return new Promise((resolve, reject) => {
      this.#response = { resolve, reject, head: '', missing: undefined };
      this.#socket.write(text);
    });
  }

  close() {
    this.#response = undefined;
    this.#socket.destroy();
  }

  /** @returns true, to go on reading */
  #receive(length, buffer) {
    const response = this.#response;
    if (!response) return true;
    if (response.missing === undefined) readHead(response, buffer, length);
    else response.missing -= length;
    if (response.missing <= 0) response.resolve(response);
    return true;
  }
}

/** Reads the head of a response. When it is complete, sets the status, the length of the body and its missing bytes. */
function readHead(response, buffer, length) {
  const before = response.head.length;
  response.head += buffer.latin1Slice(0, Math.min(length, maxHeadBytes));
  const end = response.head.indexOf('\r\n\r\n');
  if (end < 0) return;
  const body = /\r\ncontent-length: *(\d+)/i.exec(response.head.slice(0, end));
  if (!body)
    return response.reject(new Error(`A response without Content-Length:\n${response.head.slice(0, end)}`));
  response.status = Number(response.head.slice(9, 12));
  response.length = Number(body[1]);
  response.missing = end + 4 + response.length - before - length;
}
