import { type ApiKey, parseApiKeys } from './api-keys.js';
import { StartupError } from './startup.js';

export interface Config {
  port: number;
  host: string;
  /** Undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  demo: boolean;
  /** If there are no keys, everybody who can reach the port may do everything. */
  apiKeys: ApiKey[];
}

/** An empty variable counts as unset. @throws StartupError that names the variable and the remedy */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const config: Config = {
    port: Number(checked('PORT', read('PORT') ?? '3000')),
    host: checked('HOST', read('HOST') ?? '127.0.0.1'),
    databaseUrl: databaseUrlOf(read('DATABASE_URL')),
    dataDir: read('DATA_DIR') ?? '.data',
    demo: checked('DEMO', read('DEMO') ?? 'true') === 'true',
    apiKeys: parseApiKeys(read('API_KEYS')),
  };
  if (config.apiKeys.length === 0 && !/^(127\.0\.0\.1|::1|localhost)$/.test(config.host)) {
    throw new StartupError(
      `HOST=${config.host} opens the API to the network without a key. Set API_KEYS, too, for instance ` +
        `API_KEYS="demo=a-long-secret,*=another", or leave HOST at 127.0.0.1.`,
    );
  }
  return config;
}

/** Where a client on this machine finds the API. */
export function originOf(host: string, port: number): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

const isValid = {
  PORT: (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
  HOST: (text: string) => /^[A-Za-z0-9.:_-]+$/.test(text),
  DEMO: (text: string) => text === 'true' || text === 'false',
};
const refusals = {
  PORT: 'is not a port. Set it to a number from 0 (any free one) to 65535.',
  HOST: 'is not an address to listen on. Set it to an IP address without a port or brackets, such as 127.0.0.1 or ::.',
  DEMO: 'is neither true nor false. Set it to one of them.',
};

function checked(name: keyof typeof isValid, text: string): string {
  if (isValid[name](text)) return text;
  throw new StartupError(`${name}="${text}" ${refusals[name]}`);
}

/** The value has a password, so no message shows it. */
function databaseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isServer = URL.canParse(text) && /^(postgres(ql)?:|(mariadb|mysql):\/\/[^/]+\/[^?])/.test(text);
  if (isServer || /^sqlite:./.test(text)) return text;
  throw new StartupError(
    'DATABASE_URL is not a database address. Write postgres://, mariadb:// or mysql:// and then ' +
      'user:password@host:port/database (special characters in the password percent-encoded). Or write sqlite: and the ' +
      'name of a file (sqlite::memory: for none). Or leave it unset for the embedded PostgreSQL.',
  );
}
