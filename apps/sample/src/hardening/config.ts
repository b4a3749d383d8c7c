import { StartupError } from './startup.js';

export interface Config {
  port: number;
  /** Undefined means the embedded database in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  demo: boolean;
}

/** An empty variable counts as unset. @throws StartupError that names the variable and the remedy */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    port: Number(checked('PORT', read('PORT') ?? '3000')),
    databaseUrl: databaseUrlOf(read('DATABASE_URL')),
    dataDir: read('DATA_DIR') ?? '.data',
    demo: checked('DEMO', read('DEMO') ?? 'true') === 'true',
  };
}

const isValid = {
  PORT: (text: string) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
  DEMO: (text: string) => text === 'true' || text === 'false',
};
const errors = {
  PORT: 'is not a port. Set it to a number from 0 (any free one) to 65535.',
  DEMO: 'is neither true nor false. Set it to one of them.',
};

function checked(name: keyof typeof isValid, text: string): string {
  if (isValid[name](text)) return text;
  throw new StartupError(`${name}="${text}" ${errors[name]}`);
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
