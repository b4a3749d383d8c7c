import { folderOf } from './installed.cjs';

/**
 * A workspace may install Nest twice. Then our decorators and errors are not those that the application knows.
 * @param isApplications whether the application found what we inject from `@nestjs/core`
 * @throws Error that names both copies
 */
export function refuseTwoCopiesOfNest(isApplications: boolean): void {
  const core = folderOf('@nestjs/core');
  if (!isApplications)
    throw twoCopies('core', core, folderOf('@nestjs/core', `${process.cwd()}/package.json`));
  const [ours, ofCore] = [folderOf('@nestjs/common'), folderOf('@nestjs/common', `${core}/package.json`)];
  if (ours !== ofCore) throw twoCopies('common', ours, ofCore);
}

function twoCopies(name: string, ours: string, other: string): Error {
  const theirs = other === '' || other === ours ? 'from another folder' : `from ${other}`;
  return new Error(
    `Two copies of @nestjs/${name} are installed: nestjs-shipping loads it from ${ours}, the application ${theirs}. ` +
      'See "npm ls @nestjs/core @nestjs/common", and let all packages share one copy, for instance by "npm dedupe".',
  );
}
