// The upper limit for the look-up and the bytes: node:http without a framework, routes or unneeded headers. It gets the
// bytes from the sample once, and sends them again after the same look-up of the project's revision.
import { createServer } from 'node:http';
import pg from 'pg';

const maxUnderWay = 2;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const lookUp = {
  name: 'revisions',
  text: `SELECT p.project_id, concat_ws('.', p.revision, CASE WHEN p.followers > 0 THEN d.revision END) AS revision
    FROM shipping_project AS p LEFT JOIN shipping_project AS d ON d.project_id = 'default'
    WHERE p.project_id = ANY($1::text[])`,
};

let gathering;
let underWay = 0;
let wake;

/** Requests share a query. Those that come after it was sent share the next one. */
async function revisionOf(project) {
  const batch = (gathering ??= gather());
  batch.projects.add(project);
  return (await batch.found).get(project);
}

function gather() {
  const projects = new Set();
  return { projects, found: send(projects) };
}

async function send(projects) {
  await new Promise((resolve) => (underWay < maxUnderWay ? setImmediate(resolve) : (wake = resolve)));
  gathering = undefined;
  underWay++;
  const { rows } = await pool.query({ ...lookUp, values: [[...projects]] });
  underWay--;
  wake?.();
  wake = undefined;
  return new Map(rows.map((row) => [row.project_id, row.revision]));
}

const cached = new Map();

createServer(async (request, response) => {
  const revision = await revisionOf(request.url.split('/', 4)[3]);
  let answer = cached.get(request.url);
  if (answer?.revision !== revision) {
    const body = Buffer.from(await (await fetch(process.env.ORIGIN + request.url)).arrayBuffer());
    answer = { revision, body };
    cached.set(request.url, answer);
  }
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    etag: `"${revision}"`,
    'content-length': answer.body.length,
  });
  response.end(answer.body);
}).listen(Number(process.env.PORT), process.env.HOST);
