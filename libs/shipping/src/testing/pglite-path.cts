// CommonJS in both builds: only there `require` finds what is installed beside this package.

/** @throws Error when PGlite is not installed */
export const pglitePath = () => {
  try {
    return require.resolve('@electric-sql/pglite');
  } catch (cause) {
    const remedy = 'npm i -D @electric-sql/pglite pg';
    throw new Error(`The embedded PostgreSQL needs PGlite, which is not installed: ${remedy}.`, { cause });
  }
};
