import { folderOf } from './installed.cjs';

/**
 * A workspace may install Nest twice. Then our decorators and errors are not those that the application knows.
 * @param isApplications whether the application found what we inject from `@nestjs/core`
 * @throws Error that names both copies
 */
export function refuseTwoCopiesOfNest(isApplications: boolean): void {
  const core = folderOf('@nestjs/core');
  if (!isApplications)
    throw twoCopies('@nestjs/core', core, folderOf('@nestjs/core', `${process.cwd()}/package.json`));
  const [ours, ofCore] = [folderOf('@nestjs/common'), folderOf('@nestjs/common', `${core}/package.json`)];
  if (ours !== ofCore) throw twoCopies('@nestjs/common', ours, ofCore);
}

/** @param other where the application has it; '' if that is not known */
export function twoCopies(name: string, ours: string, other: string): Error {
  const theirs = other === '' || other === ours ? 'from another folder' : `from ${other}`;
  return new Error(
    `Two copies of ${name} are installed: nestjs-shipping loads it from ${ours}, the application ${theirs}. ` +
      'See "npm ls @nestjs/core @nestjs/common @nestjs/typeorm typeorm", and let all packages share one copy, for ' +
      'instance by "npm dedupe".',
  );
}
