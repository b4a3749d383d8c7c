import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Header, type OnModuleDestroy, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { type FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';

/** They need no API key, because an orchestrator has none and they only answer yes or no. */
export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

const patienceMs = 1_000;

@ApiExcludeController()
@Controller('health')
export class HealthController implements OnModuleDestroy {
  private isStopping = false;
  /** Simultaneous requests share one query, so that they cannot fill the pool. */
  private asked: Promise<boolean> | undefined;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Nest calls this first when it closes, while requests are still answered. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Whether this process answers. If it does not, a restart helps. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Whether to send requests here: the database answers, and the process is not stopping. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<{ status: string }> {
    this.asked ??= this.databaseAnswers().finally(() => (this.asked = undefined));
    if ((await this.asked) && !this.isStopping) return { status: 'ok' };
    reply.status(503).header('Retry-After', '1');
    return { status: 'unavailable' };
  }

  private databaseAnswers(): Promise<boolean> {
    const answer = this.dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    );
    return Promise.race([answer, delay(patienceMs, false, { ref: false })]);
  }
}
