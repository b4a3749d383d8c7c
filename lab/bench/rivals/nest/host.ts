import { type DynamicModule, type INestApplication } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';

const { DATABASE_URL: url = '' } = process.env;
const isPostgres = url.startsWith('postgres');

/** The column types of the engine that is measured. */
export const json = isPostgres ? 'jsonb' : 'simple-json';
export const time = isPostgres ? 'timestamptz' : 'datetime';

export function typeOrm(entities: TypeOrmModuleOptions['entities']): DynamicModule {
  const shared = { url, entities, poolSize: 10, synchronize: false };
  return TypeOrmModule.forRoot(
    isPostgres
      ? { type: 'postgres', ...shared }
      : { type: 'mariadb', charset: 'utf8mb4', timezone: 'Z', ...shared },
  );
}

export async function listen(app: INestApplication): Promise<void> {
  await app.listen(Number(process.env['PORT']), process.env['HOST'] ?? '127.0.0.1');
}
