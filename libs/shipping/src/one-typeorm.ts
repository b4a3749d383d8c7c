import { DataSource } from 'typeorm';
import { folderOf, versionIn } from './installed.cjs';
import { twoCopies } from './one-nest.js';

/** Older versions of TypeORM lack `beforeQuery`. Without it, we cannot refuse statements after a failed call. */
const tooOld = /^0\.([0-2]|3\.(\d|1[0-7]))(\D|$)/;

/**
 * We do not recognise the errors of another copy of TypeORM. With such a copy, we would report that a COMMIT has failed,
 * although its outcome is unknown.
 * @throws Error that names both copies, or the version that is too old
 */
export function refuseOtherTypeOrm(dataSource: DataSource): void {
  const ours = folderOf('typeorm');
  if (!(dataSource instanceof DataSource))
    throw twoCopies('typeorm', ours, folderOf('typeorm', fileInNestTypeOrm()));
  const version = versionIn(ours);
  if (!tooOld.test(version)) return;
  throw new Error(
    `nestjs-shipping needs typeorm 0.3.18 or newer, but ${ours} has version ${version}. Install a newer one, for ` +
      'instance by "npm i typeorm@0.3".',
  );
}

/** @returns an error if the application seems to load another copy of `@nestjs/typeorm` than we do, otherwise undefined */
export function otherNestTypeOrm(): Error | undefined {
  const [ours, theirs] = [folderOf('@nestjs/typeorm'), folderOf('@nestjs/typeorm', fileInApplication())];
  return theirs === '' || theirs === ours ? undefined : twoCopies('@nestjs/typeorm', ours, theirs);
}

/** The application's `@nestjs/typeorm` made the DataSource, so we look for TypeORM from there. */
function fileInNestTypeOrm(): string {
  return `${folderOf('@nestjs/typeorm', fileInApplication())}/package.json`;
}

function fileInApplication(): string {
  return `${process.cwd()}/package.json`;
}
