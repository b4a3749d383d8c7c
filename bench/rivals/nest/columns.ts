const isPostgres = process.env['DATABASE_URL']?.startsWith('postgres');

/** The types of columns on the engine that is measured. */
export const json = isPostgres ? 'jsonb' : 'simple-json';
export const time = isPostgres ? 'timestamptz' : 'datetime';
