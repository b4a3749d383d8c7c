import { Counter, Gauge, type Registry } from 'prom-client';
import { type DataSource } from 'typeorm';
import { type MysqlDriver } from 'typeorm/driver/mysql/MysqlDriver.js';

// docs/recipes/metrics.md shows this code.

export function exportMysqlPool(dataSource: DataSource, register: Registry): void {
  const waits = new Counter({
    name: 'pool_waits_total',
    help: 'Waits for a connection',
    registers: [register],
  });
  (dataSource.driver as MysqlDriver).pool.on('enqueue', () => waits.inc());
  register.registerMetric(
    new Gauge({
      name: 'shipping_read_only',
      help: '1 if this instance uses a read-only server',
      registers: [],
      collect() {
        // Not by the pool itself: on a silent server, `boundLeases` would not close that connection.
        dataSource.query(`SHOW VARIABLES LIKE 'read_only'`).then(
          ([variable]) => this.set(variable.Value === 'OFF' ? 0 : 1),
          () => undefined,
        );
      },
    }),
  );
}
