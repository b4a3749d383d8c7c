import { type DynamicModule, type INestApplication } from '@nestjs/common';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';

type Entities = TypeOrmModuleOptions['entities'];

export function typeOrm(entities: Entities): DynamicModule {
  return TypeOrmModule.forRoot({
    type: 'postgres',
    url: process.env['DATABASE_URL'],
    poolSize: 10,
    entities,
    synchronize: false,
  });
}

export async function listen(app: INestApplication): Promise<void> {
  await app.listen(Number(process.env['PORT']), process.env['HOST'] ?? '127.0.0.1');
}
