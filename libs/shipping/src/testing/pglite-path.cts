// CommonJS in both builds: only there `require` finds what is installed beside this package.

export const pglitePath = () => require.resolve('@electric-sql/pglite');
