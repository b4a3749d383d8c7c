import { OrderEventsService } from 'nestjs-shipping';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.js';

/** Every type that `pg` names, except `text`: a host that changes the parser of `text` breaks its own queries. */
const oids = Object.values(pg.types.builtins).filter((oid) => oid !== pg.types.builtins.TEXT);

describe('a host with parsers of its own for every type but text', () => {
  let app: TestApp;
  let target: ContractTarget;
  const usual = new Map(oids.map((oid) => [oid, pg.types.getTypeParser(oid)]));
  beforeAll(async () => {
    app = await testApp();
    target = {
      origin: app.origin,
      orderEvents: app.nest.get(OrderEventsService),
      defaultsProjectId: 'default',
    };
    for (const oid of oids) pg.types.setTypeParser(oid, (text: string) => ({ odd: text }));
  });
  afterAll(async () => {
    for (const [oid, parser] of usual) pg.types.setTypeParser(oid, parser);
    await app?.close();
  });

  for (const { title, run } of shippingContract(() => target)) it(title, () => run());
});
