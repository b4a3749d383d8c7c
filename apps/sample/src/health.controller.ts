import { Controller, Get, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  HealthCheck,
  type HealthCheckResult,
  HealthCheckService,
  TypeOrmHealthIndicator,
} from '@nestjs/terminus';

/** They need no API key, because an orchestrator has none and they only answer yes or no. */
export const healthPaths: readonly string[] = ['/health/live', '/health/ready'];

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(TypeOrmHealthIndicator) private readonly database: TypeOrmHealthIndicator,
  ) {}

  /** Whether this process answers. If it does not, a restart helps. */
  @Get('live')
  @HealthCheck()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** Whether to send requests here: the database answers, and the process is not stopping. */
  @Get('ready')
  @HealthCheck()
  ready(): Promise<HealthCheckResult> {
    return this.health.check([() => this.database.pingCheck('database', { timeout: 1_000 })]);
  }
}
