import { createRequire } from 'node:module';
import { type DynamicModule, type INestApplication } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';

type Entities = TypeOrmModuleOptions['entities'];

const { DATABASE_URL: url = '', SQLITE_DRIVER: driver = '' } = process.env;

export function typeOrm(entities: Entities): DynamicModule {
  return TypeOrmModule.forRoot({ ...database(), entities, synchronize: false });
}

function database(): TypeOrmModuleOptions {
  if (url.startsWith('mariadb:'))
    return { type: 'mariadb', url, charset: 'utf8mb4', timezone: 'Z', poolSize: 10 };
  if (!url.startsWith('sqlite:')) return { type: 'postgres', url, poolSize: 10 };
  return {
    type: 'better-sqlite3',
    driver: createRequire(import.meta.url)(driver) as unknown,
    database: url.replace('sqlite:', ''),
    enableWAL: true,
    prepareDatabase: (file: { pragma(text: string): void }) => file.pragma('synchronous = NORMAL'),
  };
}

export async function listen(app: INestApplication): Promise<void> {
  await app.listen(Number(process.env['PORT']), process.env['HOST'] ?? '127.0.0.1');
}
