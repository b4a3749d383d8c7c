import { folderOf } from './installed.cjs';

/**
 * A workspace may install Nest twice. Then the application does not recognise our decorators and errors.
 * @param hasModulesContainer whether Nest could inject our `ModulesContainer`, which only our copy of `@nestjs/core` has
 * @throws Error that names both copies
 */
export function refuseTwoCopiesOfNest(hasModulesContainer: boolean): void {
  const core = folderOf('@nestjs/core');
  if (!hasModulesContainer)
    throw twoCopies('@nestjs/core', core, folderOf('@nestjs/core', `${process.cwd()}/package.json`));
  const [ours, theirs] = [folderOf('@nestjs/common'), folderOf('@nestjs/common', `${core}/package.json`)];
  if (ours !== theirs) throw twoCopies('@nestjs/common', ours, theirs);
}

/** @param theirFolder the folder of the application's copy; '' if it is not known */
export function twoCopies(name: string, ours: string, theirFolder: string): Error {
  const theirs = theirFolder === '' || theirFolder === ours ? 'from another folder' : `from ${theirFolder}`;
  return new Error(
    `Two copies of ${name} are installed: nestjs-shipping loads it from ${ours}, the application ${theirs}. ` +
      'See "npm ls @nestjs/core @nestjs/common @nestjs/typeorm typeorm", and let all packages share one copy, for ' +
      'instance by "npm dedupe".',
  );
}
