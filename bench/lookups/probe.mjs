// Loaded into a server by --import. It counts the statements that the process sends, and tells on request.
import { createRequire } from 'node:module';

const require = createRequire(process.argv[1]);
let sent = 0;

count(require('pg').Client.prototype, 'query');
count(require('mysql2').Connection.prototype, 'execute');

process.on('message', () => process.send({ sent }));

function count(prototype, name) {
  const send = prototype[name];
  prototype[name] = function (...args) {
    sent++;
    return send.apply(this, args);
  };
}
