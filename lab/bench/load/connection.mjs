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
  #answer;

  static async open(port) {
    const connection = new Connection();
    // The socket always reads into the same buffer. A stream of chunks would cost twice as much.
    const onread = {
      buffer: Buffer.allocUnsafe(bufferBytes),
      callback: (length, buffer) => connection.#receive(length, buffer),
    };
    connection.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
    await once(connection.#socket, 'connect');
    connection.#socket.on('error', (error) => connection.#answer?.reject(error));
    connection.#socket.on('close', () => connection.#answer?.reject(new Error('The connection was closed.')));
    return connection;
  }

  /** @returns the status and the number of bytes of the body */
  request(text) {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject, head: '', missing: undefined };
      this.#socket.write(text);
    });
  }

  close() {
    this.#answer = undefined;
    this.#socket.destroy();
  }

  /** @returns true, to go on reading */
  #receive(length, buffer) {
    const answer = this.#answer;
    if (!answer) return true;
    if (answer.missing === undefined) readHead(answer, buffer, length);
    else answer.missing -= length;
    if (answer.missing <= 0) answer.resolve(answer);
    return true;
  }
}

/** Reads the head of an answer. When it is complete, sets the status, the length of the body and its missing bytes. */
function readHead(answer, buffer, length) {
  const before = answer.head.length;
  answer.head += buffer.latin1Slice(0, Math.min(length, maxHeadBytes));
  const end = answer.head.indexOf('\r\n\r\n');
  if (end < 0) return;
  const body = /\r\ncontent-length: *(\d+)/i.exec(answer.head.slice(0, end));
  if (!body)
    return answer.reject(new Error(`An answer without Content-Length:\n${answer.head.slice(0, end)}`));
  answer.status = Number(answer.head.slice(9, 12));
  answer.length = Number(body[1]);
  answer.missing = end + 4 + answer.length - before - length;
}
