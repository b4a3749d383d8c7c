import mysql, { type PoolOptions } from 'mysql2';

/** Returns the driver with pools that send statements on each new connection, before any other statement. */
export function driverThatSends(...statements: string[]) {
  return {
    ...mysql,
    createPool: (options: PoolOptions) =>
      mysql.createPool(options).on('connection', (connection) => {
        for (const statement of statements) connection.query(statement);
      }),
  };
}

export const onGalera = {
  type: 'mysql',
  url: process.env.DATABASE_URL,
  charset: 'utf8mb4',
  driver: driverThatSends('SET SESSION wsrep_sync_wait = 1'),
} as const;
