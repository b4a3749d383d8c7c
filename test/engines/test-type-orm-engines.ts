import { type TestTypeOrmModuleOptions } from 'nestjs-shipping/testing';
import { serverUrl } from '../support/database.js';
import { otherEngines } from '../support/other-engines.js';

const postgres: TestTypeOrmModuleOptions = { type: 'postgres', url: serverUrl };
/** The engines of `testTypeOrmModule()`. A title says why the tests of one are skipped. */
export const testTypeOrmEngines = [
  {
    title: serverUrl?.startsWith('postgres') ? 'PostgreSQL' : 'PostgreSQL (skipped: no TEST_DATABASE_URLS)',
    isMissing: !serverUrl?.startsWith('postgres'),
    options: postgres,
  },
  ...otherEngines,
  ...otherEngines
    .filter(({ options }) => options.type === 'mariadb')
    .map((mariadb) => ({
      ...mariadb,
      title: `${mariadb.title}, type mysql`,
      options: { ...mariadb.options, type: 'mysql' } as TestTypeOrmModuleOptions,
    })),
];
