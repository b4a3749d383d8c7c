import { DataSource } from 'typeorm';
import { folderOf } from './folder-of.cjs';

// A workspace may install a package twice. Then our classes are not those of the application: Nest does not recognise
// our decorators and errors, and we do not recognise the errors of TypeORM.

/**
 * @param hasModulesContainer false if another copy of `@nestjs/core` started the application
 * @throws Error that names both copies
 */
export function refuseOtherNest(hasModulesContainer: boolean): void {
  if (!hasModulesContainer) throw twoCopies('@nestjs/core', folderOf('@nestjs/core', process.cwd()));
  const error = otherCopy('@nestjs/common', folderOf('@nestjs/core'));
  if (error) throw error;
}

/**
 * With another copy of TypeORM, we would report that a COMMIT has failed, although its outcome is unknown.
 * @throws Error that names both copies
 */
export function refuseOtherTypeOrm(dataSource: DataSource): void {
  // The application's `@nestjs/typeorm` made the DataSource, so we look for TypeORM from there.
  const maker = folderOf('@nestjs/typeorm', process.cwd());
  if (!(dataSource instanceof DataSource)) throw twoCopies('typeorm', folderOf('typeorm', maker));
}

/**
 * @returns an error if the application seems to load another copy of `@nestjs/typeorm` than we do, otherwise undefined
 */
export function otherNestTypeOrmError(): Error | undefined {
  return otherCopy('@nestjs/typeorm', process.cwd());
}

function otherCopy(name: string, fromFolder: string): Error | undefined {
  const theirs = folderOf(name, fromFolder);
  return theirs === '' || theirs === folderOf(name) ? undefined : twoCopies(name, theirs);
}

/** @param theirFolder the folder of the application's copy; '' if it is not known */
function twoCopies(name: string, theirFolder: string): Error {
  const ours = folderOf(name);
  const theirs = theirFolder === '' || theirFolder === ours ? 'from another folder' : `from ${theirFolder}`;
  return new Error(
    `Two copies of ${name} are installed: nestjs-shipping loads it from ${ours}, the application ${theirs}. ` +
      'See "npm ls @nestjs/core @nestjs/common @nestjs/typeorm typeorm", and let all packages share one copy, for ' +
      'instance by "npm dedupe".',
  );
}
