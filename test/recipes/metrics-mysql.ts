import { type Pool, type RowDataPacket } from 'mysql2';
import { Counter, Gauge, type Registry } from 'prom-client';

// docs/recipes/metrics.md shows this code.

export function exportMysqlPool(pool: Pool, register: Registry): void {
  const waits = new Counter({
    name: 'pool_waits_total',
    help: 'Waits for a connection',
    registers: [register],
  });
  pool.on('enqueue', () => waits.inc());
  new Gauge({
    name: 'shipping_read_only',
    help: '1 if this instance uses a read-only server',
    registers: [register],
    collect() {
      pool.query<RowDataPacket[]>('SELECT @@read_only AS read_only', (_error, rows) => {
        if (rows?.[0]) this.set(rows[0]['read_only']);
      });
    },
  });
}
