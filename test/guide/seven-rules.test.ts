import { UseInterceptors } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  type BeforeCommit,
  EndedTransactionError,
  FailedTransactionError,
  MethodInUseError,
  ShippingModule,
} from 'nestjs-shipping';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { compiled, listening, typeOrm } from '../embedding/host.js';
import { mounted } from '../mounted.js';
import { Client, freshProject, ground } from '../support/client.js';
import { engine } from '../support/database.js';
import { EnvelopeInterceptor } from './envelope.js';

// docs/guide/seven-rules.md shows this code. The code that breaks a rule runs here, too, with the harm that it does.

describe('a host that breaks rule', () => {
  const hooks: BeforeCommit = {};
  const host = mounted({
    adapter: 'express',
    shipping: {
      http: { routeDecorators: { tree: [UseInterceptors(EnvelopeInterceptor)] } },
      beforeCommit: { change: (change, manager) => hooks.change?.(change, manager) },
    },
  });
  const placed = { type: 'order.placed' } as const;
  const mailed = { type: 'mail.sent' };
  const changed = { type: 'method.changed' };
  let project = '';
  let order = { projectId: project, orderId: '1001' };
  beforeEach(() => {
    project = freshProject();
    order = { projectId: project, orderId: '1001' };
    delete hooks.change;
  });

  it('1 loses the call that comes after the COMMIT', async () => {
    const { dataSource, events } = host;
    let mailIsSent = (): void => undefined;
    const sendMail = (): Promise<void> => new Promise((resolve) => (mailIsSent = resolve));

    const late = await dataSource.transaction(async (manager) => {
      // right
      await events.record(order, placed, { manager });

      // wrong: the mail may take longer than the transaction
      const mailing = sendMail().then(() => events.record(order, mailed, { manager }));
      return { mailing };
    });
    mailIsSent();

    await expect(late.mailing).rejects.toThrow(EndedTransactionError);
    expect(await events.findAll(order)).toMatchObject([placed]);
  });

  it('2 cannot roll back, because the call commits by itself', async () => {
    const { dataSource, methods } = host;
    const express = { ...ground, method_code: '01' };
    const queryRunner = dataSource.createQueryRunner();

    // right
    await dataSource.transaction((manager) => methods.create(project, ground, { manager }));

    // wrong: TypeORM does not know of this transaction, so the call commits by itself
    await queryRunner.query('BEGIN');
    await methods.create(project, express, { manager: queryRunner.manager });
    await queryRunner.query('ROLLBACK');
    await queryRunner.release();

    expect(await methods.findAll(project)).toMatchObject([express, ground]);
  });

  it('3 can only roll back after it has caught the error of a call', async () => {
    const { dataSource, methods } = host;
    const { id } = await methods.create(project, ground);
    await engine.createQuotes(dataSource.manager);
    await engine.addQuote(dataSource.manager, project, 'ups', '03');
    const keepIfInUse = (error: unknown): void => {
      if (!(error instanceof MethodInUseError)) throw error;
    };

    const transaction = dataSource.transaction(async (manager) => {
      // right
      await manager
        .transaction((nested) => methods.remove(project, id, { manager: nested }))
        .catch(keepIfInUse);
      await manager.query('SELECT 1');

      // wrong: after this error, the transaction refuses every further statement
      await methods.remove(project, id, { manager }).catch(keepIfInUse);
      await manager.query('SELECT 2');
    });

    await expect(transaction).rejects.toThrow(FailedTransactionError);
    await expect(transaction).rejects.toMatchObject({ cause: expect.any(MethodInUseError) });
  });

  it('4 gets a TypeError in place of a call that waits for itself', async () => {
    const { methods, events } = host;

    // right
    hooks.change = (_change, manager) => events.record(order, changed, { manager });

    await methods.create(project, ground);
    expect(await events.findAll(order)).toMatchObject([changed]);

    // wrong: the call is not in the transaction of the hook, so it is a TypeError
    hooks.change = () => events.record(order, changed);

    await expect(methods.upsert(project, { ...ground, sort_order: 1 })).rejects.toThrow(TypeError);
  });

  it('5 gets lists that are not as it wants them', async () => {
    const shop = new Client(host.app.origin, project);
    await shop.create(ground);
    const express = (host.app.nest as NestExpressApplication).getHttpAdapter().getInstance();

    // right
    const routeDecorators = { tree: [UseInterceptors(EnvelopeInterceptor)] };

    // wrong: the list comes from memory as text, so Express does not format it
    express.set('json spaces', 2);

    expect(routeDecorators.tree).toHaveLength(1);
    expect((await shop.tree()).text).toMatch(/^\{\n {2}"ok": true/);
    expect((await shop.list()).text).toMatch(/^\{"data":\[\{"id"/);
  });

  it('6 sends no list', async () => {
    const testing = await compiled([typeOrm(host.app.database), ShippingModule.forRoot()]);
    const { app, origin } = await listening(
      testing,
      (application) => {
        const fastify = (application as NestFastifyApplication).getHttpAdapter().getInstance();

        // right
        fastify.addHook('onSend', async (_request, reply, payload) => {
          const bytes =
            typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
          void reply.header('x-bytes', bytes);
          return payload;
        });

        // wrong: the payload of a list is a Buffer, so the request ends with 500
        fastify.addHook('onSend', async (_request, _reply, payload) =>
          (payload as string).replace('UPS', 'U.P.S.'),
        );
      },
      'Fastify',
    );
    onTestFinished(() => app.getHttpServer().close());
    const shop = new Client(origin, project);

    expect((await shop.create(ground)).body).toMatchObject({ method_label: 'U.P.S. Ground' });
    expect(await shop.list()).toMatchObject({ status: 500 });
  });
});
