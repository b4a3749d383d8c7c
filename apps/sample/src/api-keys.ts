import { createHash, timingSafeEqual } from 'node:crypto';
import { type FastifyInstance } from 'fastify';
import { healthPaths } from './health.controller.js';
import { pagePaths } from './page.js';
import { Refusal } from './refusal.js';
import { StartupError } from './startup.js';

/** An API key. Only its digest is in memory, so that no log can show the key. */
export interface ApiKey {
  /** The project that the key opens; `*` means every project. */
  project: string;
  digest: Buffer;
}

const openPaths = new Set([...healthPaths, ...pagePaths]);

/** @param text `project=key,other=key,*=key` @throws StartupError, without the keys */
export function parseApiKeys(text: string | undefined): ApiKey[] {
  const entries = text?.split(',') ?? [];
  return entries.map((entry, index) => {
    const [, project, key] =
      /^\s*(\*|[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63})=([\x21-\x7E]+)\s*$/.exec(entry) ?? [];
    if (project !== undefined && key !== undefined) return { project, digest: digestOf(key) };
    throw new StartupError(
      `Entry ${index + 1} of API_KEYS cannot be read. Write project=key, or *=key for every project, with commas ` +
        'between the entries. A key has visible ASCII characters, but no commas and no blanks.',
    );
  });
}

/**
 * Asks for a key on every path except the health checks and the page. It is a hook of Fastify, because a guard of Nest
 * does not see the documentation and unknown paths. It runs before the body is read.
 */
export function requireApiKey(fastify: FastifyInstance, keys: readonly ApiKey[]): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (openPaths.has(request.routeOptions.url ?? '')) return done();
    const digest = digestOf(presentedKey(request.headers.authorization));
    // Every key is compared, in constant time, so that the time of an answer tells nothing about a key.
    const projects = keys.filter((key) => timingSafeEqual(key.digest, digest)).map(({ project }) => project);
    // The router has decoded the parameter. The handler uses the same value.
    const { project_id: project } = request.params as { project_id?: string };
    if (projects.length === 0) return done(new UnauthorizedError());
    if (project === undefined || projects.includes(project) || projects.includes('*')) return done();
    return done(new ForbiddenError());
  });
}

/**
 * @returns the Bearer token, or the password of HTTP Basic, for which browsers ask; otherwise `''`, which is never
 *   a key
 */
function presentedKey(authorization = ''): string {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(authorization) ?? [];
  if (/^bearer$/i.test(scheme)) return credentials;
  if (!/^basic$/i.test(scheme)) return '';
  const userAndPassword = Buffer.from(credentials, 'base64').toString();
  return userAndPassword.replace(/^[^:]*:?/, '');
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

class UnauthorizedError extends Refusal {
  constructor() {
    const detail =
      'Send an API key: "Authorization: Bearer <key>", or HTTP Basic with the key as the password.';
    const challenge = 'Basic realm="nestjs-shipping", charset="UTF-8", Bearer';
    super(401, 'unauthorized', 'Unauthorized', detail, { 'WWW-Authenticate': challenge });
  }
}

class ForbiddenError extends Refusal {
  constructor() {
    super(
      403,
      'forbidden',
      'Forbidden',
      'This API key belongs to another project. Send a key of this project.',
    );
  }
}
