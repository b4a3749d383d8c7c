import { describe, expect, it } from 'vitest';
import { readConfig } from '../../apps/sample/src/hardening/config.js';
import { StartupError } from '../../apps/sample/src/hardening/startup.js';

function errorOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
    return 'accepted';
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
}

describe('the environment of the sample', () => {
  it('may be empty: the embedded database and the demo', () => {
    expect(readConfig({ PORT: '', DATA_DIR: ' ' })).toEqual({
      port: 3000,
      databaseUrl: undefined,
      dataDir: '.data',
      demo: true,
    });
  });

  it.each([
    [{ PORT: 'http' }, 'PORT="http" is not a port', 'Set it to a number'],
    [{ PORT: '65536' }, 'PORT="65536"', 'Set it to a number'],
    [{ PORT: '-1' }, 'PORT="-1"', 'Set it to a number'],
    [{ PORT: '3e3' }, 'PORT="3e3"', 'Set it to a number'],
    [{ DEMO: 'yes' }, 'DEMO="yes"', 'Set it to one of them'],
    [{ DATABASE_URL: 'oracle://root@h/shop' }, 'DATABASE_URL', 'postgres://, mariadb:// or mysql://'],
    [{ DATABASE_URL: 'mariadb://root@h/' }, 'DATABASE_URL', 'host:port/database'],
    [{ DATABASE_URL: 'sqlite:' }, 'DATABASE_URL', 'sqlite: and the name of a file'],
    [{ DATABASE_URL: 'localhost:5432' }, 'DATABASE_URL', 'Write postgres://'],
  ])('%j is refused with the name of the variable and the remedy', (environment, named, remedy) => {
    const message = errorOf(environment);

    expect(message).toContain(named);
    expect(message).toContain(remedy);
    expect(message).not.toContain('\n');
  });

  it('never shows the password of the database in an error', () => {
    expect(errorOf({ DATABASE_URL: 'oracle://root:hunter2@h/shop' })).not.toContain('hunter2');
  });

  it.each([
    'postgres://u:p%40@h/shop',
    'postgresql:///shop',
    'mariadb://root@h:3307/shop',
    'mysql://root@h/shop',
    'sqlite:shop.db',
    'sqlite::memory:',
  ])('may have DATABASE_URL=%s', (url) => {
    expect(readConfig({ DATABASE_URL: url })).toMatchObject({ databaseUrl: url });
  });
});
