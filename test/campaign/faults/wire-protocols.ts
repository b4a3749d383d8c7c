/** What the client and the server of one connection say to each other, in the protocol of their database. */
export interface WireProtocol {
  /** Called with each message of the client. @returns the texts of the statements that it executes */
  executed(message: Buffer): string;
  /** Called with each message of the server. */
  answered(message: Buffer): void;
}

/** The texts of prepared statements by their names, which mean the same on each connection. */
const postgresStatements = new Map<string, string>();

/** A message that prepares a statement also executes it. */
export const postgresProtocol = (): WireProtocol => ({
  executed(message) {
    const said = message.toString('latin1');
    for (const [, name = '', text = ''] of said.matchAll(/P[^]{4}(\w+)\0([^\0]+)\0/g)) {
      postgresStatements.set(name, text);
    }
    const named = [...postgresStatements].filter(([name]) => said.includes(`\0${name}\0`));
    return [said, ...named.map(([, text]) => text)].join('\n');
  },
  answered() {},
});

/** The first byte of a command: see "Client/Server Protocol" in MariaDB's documentation. */
const commands = { query: 0x03, prepare: 0x16, execute: 0x17 };
/** The length in three bytes, and the number of the packet, which is 0 for a command. */
const headBytes = 4;

export function mysqlProtocol(): WireProtocol {
  const statements = new Map<number, string>();
  let preparing: string | undefined;
  return {
    executed(message) {
      if (message[headBytes - 1] !== 0) return '';
      const command = message[headBytes];
      const text = message.toString('utf8', headBytes + 1);
      preparing = command === commands.prepare ? text : undefined;
      if (command === commands.query) return text;
      if (command === commands.execute) return statements.get(message.readUInt32LE(headBytes + 1)) ?? '';
      return '';
    },
    answered(message) {
      const isDone = message[headBytes] === 0;
      if (preparing !== undefined && isDone) statements.set(message.readUInt32LE(headBytes + 1), preparing);
      preparing = undefined;
    },
  };
}
