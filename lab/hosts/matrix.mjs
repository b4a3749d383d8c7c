// The hosts that the packed library is installed in. `npm run test:hosts -- --list` prints them.
//
//   from     a folder beside this file with a package.json, `{ example }`: one of examples/, `{ cli }`: a fresh
//            `nest new` of that major, or `{ type }`: an empty project with modules of that type
//   add      the packages that docs/start.md installs for this Nest
//   files    folders beside this file that are copied over the host
//   mounts   true: the module code of docs/start.md is put into the generated AppModule
//   program  a file that is also run on each Node version of `nodes`
//   steps    npm scripts or commands, run in the host's folder
//   starts   `npm start` serves a list of methods with this status
//   needs    `postgres` or `mariadb`: such a server; the host gets a database of its own there, as DATABASE_URL
//   sqlite   true: better-sqlite3, copied from test/drivers if it was compiled there, else installed
//   sample   true: the host is a client of the sample. It starts the one of SHIPPING_REPOSITORY, and the library is not
//            installed in it
//   browser  true: a Chromium, at CHROMIUM or where Debian's package installs it
//   inCi     true: .ci/run takes it. The others stand beside one that is much like them, and run with --all

/** The tested version of each major of the Nest CLI. */
export const cliVersions = { 10: '10.4.9', 11: '11.0.24', 12: '12.0.8' };

const nodeVersions = ['20.19.0', '22', '24', '26'];

const typeorm = {
  10: ['@nestjs/typeorm@10', 'typeorm@0.3'],
  11: ['@nestjs/typeorm@11', 'typeorm@1'],
  12: ['@nestjs/typeorm@12', 'typeorm@1'],
};

/** The install line of docs/start.md for this major of Nest, and the package that the testing kit needs. */
function addedFor(nest) {
  return {
    add: [...typeorm[nest], 'pg', 'class-validator', 'class-transformer'],
    addDev: ['@electric-sql/pglite'],
  };
}

/** The generated host with the lines of docs/start.md added. It runs its own tests, its e2e tests and the contract. */
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

/** The flags of TypeScript that a careful host turns on. */
const strictest = [
  '--skipLibCheck false',
  '--isolatedModules',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--noPropertyAccessFromIndexSignature',
  '--noImplicitReturns',
].join(' ');

/** An empty project with Nest, TypeORM and the embedded database, and more packages. */
function plain(nest, type = 'commonjs', add = [], addDev = []) {
  const ofNest = ['common', 'core', 'platform-express'].map((name) => `@nestjs/${name}@${nest}`);
  const validator = `class-validator@${nest === 12 ? '0.15' : '0.14'}`;
  const others = [
    'class-transformer@0.5',
    'pg@8',
    '@electric-sql/pglite@0.5',
    'reflect-metadata@0.2',
    'rxjs@7',
  ];
  return {
    from: { type },
    add: [...ofNest, ...typeorm[nest], validator, ...others, ...add],
    addDev: ['@types/node@20', nest === 12 ? 'typescript@6.0' : 'typescript@5.9', ...addDev],
  };
}

function hostile(nest) {
  const add = [`@nestjs/platform-fastify@${nest}`, 'compression@1'];
  return {
    ...plain(nest, 'commonjs', add, ['@types/compression@1']),
    // The checks of test/embedding/guest.test.ts.
    files: ['hostile', '../../test/guest'],
    steps: ['npx tsc', 'node dist/main.js'],
  };
}

/**
 * The programs of a shop, which names its types. They compile with each resolution, the strictest flags, and the oldest
 * and the newest TypeScript, and run in both formats.
 */
function shop(nest) {
  const modes = ['nodenext', 'node16', 'bundler'].map((resolution) => {
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    return `npx tsc --noEmit ${strictest} --module ${module} --moduleResolution ${resolution}`;
  });
  // The resolution node16 has no CommonJS module that loads an ES module, and Nest 12 consists of these.
  const ofCommonJs = modes.filter((mode) => nest < 12 || !mode.includes('node16'));
  const run = `npx tsc && node -e "import('./dist/main.js').then(({ run }) => run())"`;
  const newest = 'npm install --no-save --no-audit --no-fund --prefer-offline typescript@6.0';
  return {
    ...plain(nest, 'commonjs', [], ['typescript@5.9']),
    files: ['../../test/types/shop'],
    steps: [
      [...ofCommonJs, run].join(' && '),
      ['npm pkg set type=module', ...modes, run].join(' && '),
      // test/types.test.ts compiles them as ES modules with the newest TypeScript.
      ['npm pkg set type=commonjs', newest, ...ofCommonJs].join(' && '),
    ],
  };
}

/** An example, with its own tests. */
function example(name) {
  return { from: { example: name }, steps: ['npm test'], starts: 200 };
}

/** A host that opens the page of nestjs-shipping/page in a browser. */
function pageHost(nest, type, files, add) {
  return {
    ...plain(nest, type, ['playwright-core@1', 'axe-core@4', ...add]),
    files: ['page', files],
    steps: ['npx tsc', 'node dist/main.js'],
    browser: true,
    inCi: true,
  };
}

export const hosts = {
  'nest-new-11': { ...generated(11), inCi: true },
  'nest-new-10': generated(10),
  'nest-new-12': generated(12),
  'nest12-jest-esm': {
    ...plain(12, 'commonjs', [], ['@nestjs/testing@12', 'jest@30', 'ts-jest@29', '@types/jest@30']),
    files: ['nest-new', 'nest12-jest-esm'],
    steps: ['node --experimental-vm-modules node_modules/jest/bin/jest.js --config src/jest.config.mjs'],
  },
  'nest12-cjs': {
    ...plain(12),
    files: ['app', 'nest12-cjs'],
    steps: [
      'npx tsc',
      'node dist/main.js',
      'node dist/both-formats.js && node dist/after-mount.js',
      'npx typeorm migration:run --dataSource dist/data-source.js',
    ],
    inCi: true,
  },
  'nest12-esm': {
    ...plain(12, 'module'),
    files: ['app'],
    steps: ['npx tsc'],
    program: 'dist/main.js',
    nodes: nodeVersions,
    inCi: true,
  },
  'nest11-typeorm03': {
    ...plain(11, 'commonjs', ['typeorm@0.3']),
    files: ['app'],
    steps: ['npx tsc', 'node dist/main.js'],
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
  'hostile-10': { ...hostile(10), program: 'dist/main.js', nodes: nodeVersions.slice(-1) },
  'hostile-11': hostile(11),
  'hostile-12': hostile(12),
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
    ...plain(12, 'module', ['mysql2@3']),
    files: ['two-engines'],
    steps: ['npx tsc', 'node dist/main.js'],
    needs: 'mariadb',
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
  admin: {
    from: 'admin',
    files: ['../../test/recipes/admin'],
    steps: ['npm run build', 'npm test'],
    sample: true,
    browser: true,
  },
  'page-express': pageHost(11, 'commonjs', 'page-express', ['helmet@8']),
  'page-nest10': { ...pageHost(10, 'commonjs', 'page-express', ['helmet@8']), inCi: false },
  'page-fastify': {
    ...pageHost(12, 'module', 'page-fastify', ['@nestjs/platform-fastify@12']),
    inCi: false,
  },
  'page-vendure': {
    from: { example: 'vendure' },
    files: ['page', 'page-vendure'],
    sqlite: true,
    add: ['playwright-core@1', 'axe-core@4'],
    steps: ['npm run build', 'node dist/main.js'],
    browser: true,
  },
  graphql: {
    ...plain(12, 'module', [
      '@nestjs/platform-fastify@12',
      '@nestjs/graphql@14',
      '@nestjs/mercurius@14',
      'mercurius@16',
      '@nestjs/apollo@14',
      '@apollo/server@5',
      '@as-integrations/express5@1',
      'graphql@16',
    ]),
    files: ['graphql'],
    steps: ['npx tsc', 'node dist/main.js'],
  },
  'openapi-clients': { from: 'openapi-clients', steps: ['npm run build', 'npm test'] },
  types: {
    // The last TypeScript with the resolution of Node 10.
    ...plain(12, 'commonjs', [], ['typescript@5.9']),
    files: ['types', '../../test/types/plain'],
    steps: [
      'npx tsc',
      `npx tsc --noEmit ${strictest}`,
      'npx tsc --noEmit --module esnext --moduleResolution bundler',
      'npx tsc --noEmit --module commonjs --moduleResolution node10',
      'node dist/imports.js && node dist/imports.mjs',
      'npm install --no-save --no-audit --no-fund --prefer-offline typescript@6.0 && npx tsc --noEmit',
      'npm install --no-save --no-audit --no-fund --prefer-offline --force typeorm@0.3.23 && npx tsc --noEmit',
    ],
    inCi: true,
  },
  'shop-10': shop(10),
  'shop-11': shop(11),
  'shop-12': { ...shop(12), inCi: true },
};
