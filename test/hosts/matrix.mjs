// The hosts that the packed library is installed in. `npm run test:hosts -- --list` prints them.
//
//   from     a folder beside this file with a package.json, `{ example }`: one of examples/, or `{ cli }`: a fresh
//            `nest new` of that major
//   add      the packages that the README installs for this Nest
//   files    folders beside this file that are copied over the host
//   mounts   true: the README's module code is put into the generated AppModule
//   program  a file that is also run on each of `nodeVersions`
//   steps    npm scripts or commands, run in the host's folder
//   starts   `npm start` serves a list of methods with this status
//   needs    `postgres` or `mariadb`: such a server; the host gets a database of its own there, as DATABASE_URL
//   sqlite   true: better-sqlite3, copied from test/drivers if it was compiled there, else installed
//   inCi     false: only with --all, so that CI stays fast

/** The tested version of each major of the Nest CLI. */
export const cliVersions = { 10: '10.4.9', 11: '11.0.24', 12: '12.0.8' };

/** The Node versions that a host with a `program` runs it on. */
export const nodeVersions = ['20.19.0', '22', '24', '26'];

const typeorm = {
  10: ['@nestjs/typeorm@10', 'typeorm@0.3'],
  11: ['@nestjs/typeorm@11', 'typeorm@1'],
  12: ['@nestjs/typeorm@12', 'typeorm@1'],
};

/** The install line of the README for this major of Nest, and the package that the testing kit needs. */
function addedFor(nest) {
  return {
    add: [...typeorm[nest], 'pg', 'class-validator', 'class-transformer'],
    addDev: ['@electric-sql/pglite'],
  };
}

/** The generated host with the README's lines added. It runs its own tests, its e2e tests and the contract. */
function generated(cli) {
  return {
    from: { cli },
    ...addedFor(cli),
    files: ['nest-new'],
    mounts: true,
    steps: ['npm test', 'npm run test:e2e', 'npm run build'],
    needs: 'postgres',
  };
}

function hostile(nest) {
  return {
    from: 'hostile',
    // The checks of test/embedding/guest.test.ts.
    files: ['../guest'],
    add: [
      ...typeorm[nest],
      ...['common', 'core', 'platform-express', 'platform-fastify'].map((name) => `@nestjs/${name}@${nest}`),
    ],
    steps: ['npm run build', 'npm test'],
  };
}

/** An example, with its own tests. */
function example(name) {
  return { from: { example: name }, steps: ['npm test'], starts: 200 };
}

export const hosts = {
  'nest-new-11': { ...generated(11), inCi: true },
  'nest-new-10': { ...generated(10), inCi: true },
  'nest-new-12': { ...generated(12), inCi: true },
  'nest12-jest-esm': { from: 'nest12-jest-esm', files: ['nest-new'], steps: ['npm test'], inCi: true },
  'nest12-cjs': {
    from: 'nest12-cjs',
    files: ['app'],
    steps: [
      'npm run build',
      'node dist/main.js',
      'node dist/both-formats.js && node dist/after-mount.js',
      'npx typeorm migration:run --dataSource dist/data-source.js',
    ],
    inCi: true,
  },
  'nest12-esm': {
    from: 'nest12-esm',
    files: ['app'],
    steps: ['npm run build'],
    program: 'dist/main.js',
    inCi: true,
  },
  'nest11-typeorm03': {
    from: 'nest11-typeorm03',
    files: ['app'],
    steps: ['npm run build', 'node dist/main.js'],
  },
  'nest11-swc': {
    from: { cli: 11 },
    ...addedFor(11),
    addDev: ['@electric-sql/pglite', '@swc/cli', '@swc/core'],
    files: ['app'],
    steps: ['npm run build -- --builder swc --type-check', 'node dist/main.js'],
  },
  'oldest-peers': {
    from: 'oldest-peers',
    steps: ['node main.cjs postgres mariadb mysql'],
    needs: 'mariadb',
    inCi: true,
  },
  'hostile-10': { ...hostile(10), program: 'dist/main.js', inCi: true },
  'hostile-11': hostile(11),
  'hostile-12': { ...hostile(12), inCi: true },
  'nest12-fastify-postgres-jwt': {
    ...example('nest12-fastify-postgres-jwt'),
    starts: 401,
    needs: 'postgres',
    inCi: true,
  },
  'nest11-express-mariadb': {
    ...example('nest11-express-mariadb'),
    steps: [
      'npm test',
      'npm run build',
      'npx typeorm migration:run --dataSource dist/database.js',
      'for migration in 1 2 3; do npx typeorm migration:revert --dataSource dist/database.js; done',
      `node -e "import('./dist/database.js').then(({ dataSource }) => dataSource.initialize()).then((database) =>
        database.query('SHOW TABLES').then((left) => process.exit(left.length === 1 ? 0 : 1)))"`,
    ],
    needs: 'mariadb',
    inCi: true,
  },
  'nest11-sqlite': { ...example('nest11-sqlite'), sqlite: true, inCi: true },
  'two-engines': {
    from: 'nest12-esm',
    add: ['mysql2@3'],
    files: ['two-engines'],
    steps: ['npm run build', 'node dist/main.js'],
    needs: 'mariadb',
    inCi: true,
  },
  vendure: { ...example('vendure'), sqlite: true },
  'vendure-mariadb': { ...example('vendure'), sqlite: true, add: ['mysql2@3'], needs: 'mariadb' },
  'vendure-postgres': { ...example('vendure'), sqlite: true, add: ['pg@8'], needs: 'postgres' },
  'vendure-named-data-source': {
    from: { example: 'vendure' },
    files: ['vendure'],
    sqlite: true,
    add: ['@electric-sql/pglite@0.5', 'pg@8', 'sql.js@1'],
    steps: ['npm run build', 'node dist/named-data-source.js'],
  },
  'openapi-clients': { from: 'openapi-clients', steps: ['npm run build', 'npm test'], inCi: true },
  types: { from: 'types', steps: ['npm run build', 'npm test'], inCi: true },
};
