// This file is CommonJS in both builds, because only CommonJS has a `require` that finds the packages beside this one. It
// has no type annotations, because test runners do not compile this kind of file.

/** @returns the path of PGlite's main file @throws Error when PGlite or `pg` is not installed */
export const pglitePath = () => {
  try {
    require.resolve('pg');
    return require.resolve('@electric-sql/pglite');
  } catch (cause) {
    const remedy = 'npm i -D @electric-sql/pglite pg';
    throw new Error(`The embedded PostgreSQL needs PGlite and pg, and one is not installed: ${remedy}.`, {
      cause,
    });
  }
};
