// CommonJS in both builds: only there `require` finds what is installed beside this package. It has no type annotations,
// because test runners do not compile this kind of file.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// Under tsx, the `require` of a module that is imported can resolve, but it cannot load JSON.
/** @returns the version of this package */
export const ownVersion = () => String(createRequire(__filename)('nestjs-shipping/package.json').version);

/** @returns the folder of a package, as the file `place` would load it, by default this one; '': it is not there */
export const folderOf = (name = '', place = '') => {
  try {
    const { resolve } = place ? createRequire(place) : require;
    // TypeORM does not export its package.json. Its entry is in the same folder.
    return dirname(resolve(name === 'typeorm' ? name : `${name}/package.json`));
  } catch {
    return '';
  }
};

/** @returns the version of the package in a folder; '': it cannot be read */
export const versionIn = (folder = '') => {
  try {
    return String(createRequire(`${folder}/package.json`)('./package.json').version);
  } catch {
    return '';
  }
};

/** @throws Error when PGlite is not installed */
export const pglitePath = () => {
  try {
    return require.resolve('@electric-sql/pglite');
  } catch (cause) {
    const remedy = 'npm i -D @electric-sql/pglite pg';
    throw new Error(`The embedded PostgreSQL needs PGlite, which is not installed: ${remedy}.`, { cause });
  }
};
