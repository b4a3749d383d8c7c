import { createHash, timingSafeEqual } from 'node:crypto';
import { ShippingException } from 'nestjs-shipping';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { healthPaths } from './health.controller.js';
import { StartupError } from './startup.js';

/** A key of which only the digest is kept, so that nothing can ever log it. */
export interface ApiKey {
  /** The project it opens; `*` is every project. */
  project: string;
  digest: Buffer;
}

/** @param text `project=key,other=key,*=key` @throws StartupError, without the keys */
export function parseApiKeys(text: string | undefined): ApiKey[] {
  if (text === undefined) return [];
  return text.split(',').map((entry, index) => {
    const [, project, key] =
      /^\s*(\*|[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63})=([\x21-\x7E]+)\s*$/.exec(entry) ?? [];
    if (project !== undefined && key !== undefined) return { project, digest: digestOf(key) };
    throw new StartupError(
      `API_KEYS has an entry that cannot be read (number ${index + 1}): write project=key, or *=key for every ` +
        'project, with commas between them; a key is visible ASCII without commas or blanks.',
    );
  });
}

/**
 * Asks for a key on every route there is or is not: the documents, the console and unknown paths too; not on the two that an
 * orchestrator asks. A hook rather than a guard of Nest's, because guards do not see those; and before the body is read.
 */
export function requireApiKey(fastify: FastifyInstance, keys: readonly ApiKey[]): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (healthPaths.includes(request.routeOptions.url ?? '')) return done();
    const projects = projectsOf(keys, presentedKey(request));
    // As the router has decoded it: what we compare is what the handler will use.
    const { project_id: project } = request.params as { project_id?: string };
    if (projects.length === 0) return done(new UnauthorizedError());
    if (project === undefined || projects.includes(project) || projects.includes('*')) return done();
    return done(new ForbiddenError());
  });
}

/** Compares with all keys to the end, in constant time: neither a near miss nor its place shows. */
function projectsOf(keys: readonly ApiKey[], presented: string): string[] {
  const digest = digestOf(presented);
  return keys.filter((key) => timingSafeEqual(key.digest, digest)).map(({ project }) => project);
}

/** @returns the Bearer token, or the password of Basic (what a browser asks for); else `''`, which is no key */
function presentedKey({ headers }: FastifyRequest): string {
  const [, scheme = '', credentials = ''] = /^(\S+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return credentials;
  if (!/^basic$/i.test(scheme)) return '';
  return Buffer.from(credentials, 'base64')
    .toString()
    .replace(/^[^:]*:?/, '');
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

class UnauthorizedError extends ShippingException {
  override readonly headers = {
    'WWW-Authenticate': 'Basic realm="nestjs-shipping", charset="UTF-8", Bearer',
  };

  constructor() {
    super({
      type: 'urn:problem:sample:unauthorized',
      title: 'Unauthorized',
      status: 401,
      code: 'unauthorized',
      detail: 'Send an API key: "Authorization: Bearer <key>", or HTTP Basic with the key as the password.',
    });
  }
}

class ForbiddenError extends ShippingException {
  constructor() {
    super({
      type: 'urn:problem:sample:forbidden',
      title: 'Forbidden',
      status: 403,
      code: 'forbidden',
      detail: 'This API key belongs to another project.',
    });
  }
}
