import { type Dialect } from './dialect.js';

/** SQLite is for development and tests. */
export const sqlite: Dialect = {
  types: ['better-sqlite3'],
  hasOneConnection: true,
  readsFromSnapshot: false,
  failureEndsTransaction: false,
  lostRaceEndsTransaction: false,
  levelOfRetries: 'SERIALIZABLE',
  now: `strftime('%Y-%m-%d %H:%M:%f', 'now')`,
  timeColumn: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column})`,
  valueColumn: (column) => column,
  timeParameter: (time) => time.replace('T', ' ').replace('Z', ''),
  ifAbsent: (insert) => insert.orIgnore(),
  // SQLite has one writer at a time.
  shareLock: '',
  // SQLite numbers a primary key only if it has one column.
  nextNumber: (table, column) => `(SELECT COALESCE(MAX(${column}), 0) + 1 FROM ${table})`,
  errorCodes: {
    'SQLITE_BUSY_*': 'race',
    'SQLITE_LOCKED*': 'race',
    SQLITE_BUSY: 'refused',
    SQLITE_FULL: 'refused',
    'SQLITE_IOERR*': 'refused',
    'SQLITE_READONLY*': 'refused',
    'SQLITE_CANTOPEN*': 'refused',
    SQLITE_CONSTRAINT_UNIQUE: 'duplicate',
    SQLITE_CONSTRAINT_FOREIGNKEY: 'foreignKey',
    // With ON DELETE RESTRICT, it is an error of a trigger.
    'SQLITE_CONSTRAINT_TRIGGER FOREIGN KEY*': 'foreignKey',
  },
  errorMessages: { 'The database connection is not open': 'refused' },
  adaptEntity(metadata) {
    for (const column of metadata.ownColumns) {
      // By default a column compares bytes, which is the order of code points.
      column.collation = undefined;
      column.precision = undefined;
      if (column.type === 'uuid') column.length = '36';
      if (String(column.generationStrategy) === 'identity') {
        Object.assign(column, { isGenerated: false, generationStrategy: undefined });
        metadata.generatedColumns = metadata.generatedColumns.filter((each) => each !== column);
      }
    }
    metadata.checks = metadata.checks.filter(({ expression }) => !expression.includes('jsonb'));
  },
};
