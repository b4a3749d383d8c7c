import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { boundLeases, postgresLimits } from './bounded-pool.js';

// docs/recipes/silent-server.md shows this code.

export const database = TypeOrmModule.forRootAsync({
  useFactory: () => ({
    type: 'postgres' as const,
    url: process.env['DATABASE_URL'],
    autoLoadEntities: true,
    ...postgresLimits,
  }),
  dataSourceFactory: async (options) => {
    const dataSource = await new DataSource(options as DataSourceOptions).initialize();
    boundLeases(dataSource);
    return dataSource;
  },
});
