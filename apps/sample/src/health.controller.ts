import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Header, type OnModuleDestroy, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { type FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';

/** Open without an API key: an orchestrator has none, and they tell nothing but yes or no. */
export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

const patienceMs = 1_000;

interface Health {
  status: 'ok' | 'unavailable';
}

@ApiExcludeController()
@Controller('health')
export class HealthController implements OnModuleDestroy {
  private isStopping = false;
  /** Shared by all who ask meanwhile: probes do not fill the pool that they look at. */
  private asked: Promise<boolean> | undefined;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The first that Nest does when it is told to close, before requests are refused. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Whether this process answers; a restart would help if it did not. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): Health {
    return { status: 'ok' };
  }

  /** Whether to send requests here: not while the database is out of reach, nor while the process stops. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Health> {
    const isReady = !this.isStopping && (await this.databaseAnswers());
    if (!isReady) reply.status(503).header('Retry-After', '1');
    return { status: isReady ? 'ok' : 'unavailable' };
  }

  private databaseAnswers(): Promise<boolean> {
    this.asked ??= this.ask().finally(() => (this.asked = undefined));
    return this.asked;
  }

  /** A question that hangs is not waited for: its connection may be lost, and the next one's not. */
  private ask(): Promise<boolean> {
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return Promise.race([answer, delay(patienceMs, false, { ref: false })]);
  }
}
