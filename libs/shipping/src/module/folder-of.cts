// This file is CommonJS in both builds, because only CommonJS has a `require` that finds the packages beside this one. It
// has no type annotations, because test runners do not compile this kind of file.
import { createRequire } from 'node:module';
import { dirname } from 'node:path';

// A bundled application has no folders of packages. Then the folder is '', and we look from this file.
/** @returns the folder of the package that a file in `fromFolder` would load, by default this file; '' if there is none */
export const folderOf = (name = '', fromFolder = '') => {
  try {
    const { resolve } = fromFolder ? createRequire(`${fromFolder}/package.json`) : require;
    // TypeORM does not export its package.json. Its entry is in the same folder.
    return dirname(resolve(name === 'typeorm' ? name : `${name}/package.json`));
  } catch {
    return '';
  }
};
