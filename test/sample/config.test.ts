import { describe, expect, it } from 'vitest';
import { originOf, readConfig } from '../../apps/sample/src/config.js';
import { StartupError } from '../../apps/sample/src/startup.js';

function refusalOf(environment: Record<string, string>): string {
  try {
    readConfig(environment);
    return 'accepted';
  } catch (error) {
    if (error instanceof StartupError) return error.message;
    throw error;
  }
}

describe('the environment of the sample', () => {
  it('may be empty: the embedded database and the demo, for this machine only', () => {
    expect(readConfig({ PORT: '', API_KEYS: ' ' })).toEqual({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: undefined,
      dataDir: '.data',
      demo: true,
      apiKeys: [],
    });
  });

  it.each([
    [{ PORT: 'http' }, 'PORT="http" is not a port', 'Set it to a number'],
    [{ PORT: '65536' }, 'PORT="65536"', 'Set it to a number'],
    [{ PORT: '-1' }, 'PORT="-1"', 'Set it to a number'],
    [{ PORT: '3e3' }, 'PORT="3e3"', 'Set it to a number'],
    [{ HOST: 'http://localhost' }, 'HOST="http://localhost"', 'Set it to an IP address'],
    [{ HOST: '[::1]' }, 'HOST="[::1]"', 'Set it to an IP address'],
    [{ DEMO: 'yes' }, 'DEMO="yes"', 'Set it to one of them'],
    [{ DATABASE_URL: 'oracle://root@h/shop' }, 'DATABASE_URL', 'postgres://, mariadb:// or mysql://'],
    [{ DATABASE_URL: 'mariadb://root@h/' }, 'DATABASE_URL', 'host:port/database'],
    [{ DATABASE_URL: 'sqlite:' }, 'DATABASE_URL', 'sqlite: and the name of a file'],
    [{ DATABASE_URL: 'localhost:5432' }, 'DATABASE_URL', 'Write postgres://'],
    [{ API_KEYS: 'demo' }, 'Entry 1 of API_KEYS cannot be read', 'Write project=key'],
    [{ API_KEYS: 'demo=a,*=' }, 'Entry 2', 'Write project=key'],
    [{ API_KEYS: 'demo=a,' }, 'Entry 2', 'Write project=key'],
    [{ API_KEYS: '-x=a' }, 'Entry 1', 'Write project=key'],
    [{ API_KEYS: 'demo=with blank' }, 'Entry 1', 'Write project=key'],
    [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0 opens the API to the network', 'Set API_KEYS'],
    [{ HOST: '::' }, 'HOST=:: opens the API to the network', 'Set API_KEYS'],
    [{ HOST: '192.168.1.5', DEMO: 'false' }, 'HOST=192.168.1.5', 'Set API_KEYS'],
  ])('%j is refused with the name of the variable and the remedy', (environment, named, remedy) => {
    const message = refusalOf(environment);

    expect(message).toContain(named);
    expect(message).toContain(remedy);
    expect(message).not.toContain('\n');
  });

  it('never shows a secret in a refusal', () => {
    const messages = [
      refusalOf({ DATABASE_URL: 'oracle://root:hunter2@h/shop' }),
      refusalOf({ API_KEYS: 'demo=hunter2,?=hunter2' }),
      refusalOf({ API_KEYS: 'hunter2' }),
    ];

    expect(messages.join()).not.toContain('hunter2');
    expect(JSON.stringify(readConfig({ API_KEYS: 'demo=hunter2' }))).not.toContain('hunter2');
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

  it.each(['127.0.0.1', '::1', 'localhost'])('HOST=%s needs no key', (host) => {
    expect(readConfig({ HOST: host })).toMatchObject({ host, apiKeys: [] });
  });

  it('may open the sample to the network when there are keys', () => {
    const { apiKeys } = readConfig({ HOST: '0.0.0.0', API_KEYS: 'demo=a=b, demo=c,*=d' });

    expect(apiKeys.map(({ project }) => project)).toEqual(['demo', 'demo', '*']);
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://[::1]:80'],
    ['fe80::1', 'http://[fe80::1]:80'],
    ['shop.internal', 'http://shop.internal:80'],
  ])('with HOST=%s has the address %s', (host, origin) => {
    expect(originOf(host, 80)).toBe(origin);
  });
});
