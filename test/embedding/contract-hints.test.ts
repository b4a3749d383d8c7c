import { type CanActivate, ForbiddenException, HttpException, UseGuards } from '@nestjs/common';
import { OrderEventsService, ShippingMethodsService, ShippingModule } from 'nestjs-shipping';
import { type ContractTarget, type Envelope, shippingContract } from 'nestjs-shipping/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { compiled, listening, typeOrm } from './host.js';

/** What the guard of the host throws. */
let thrown: Error | undefined;

class HostGuard implements CanActivate {
  canActivate(): boolean {
    if (thrown) throw thrown;
    return true;
  }
}

describe('the contract suite', () => {
  let database: TestDatabase;
  let close: () => Promise<void>;
  let target: ContractTarget;
  let methods: ShippingMethodsService;
  beforeAll(async () => {
    database = await testDatabase();
    const shipping = ShippingModule.forRoot({ http: { decorators: [UseGuards(HostGuard)] } });
    const { app, origin } = await listening(await compiled([typeOrm(database), shipping]));
    close = () => app.close();
    target = { origin, orderEvents: app.get(OrderEventsService) };
    methods = app.get(ShippingMethodsService);
  });
  afterAll(async () => {
    await close?.();
    await database?.close();
  });
  afterEach(() => {
    thrown = undefined;
  });

  const resultsOf = (of: ContractTarget): Promise<string[]> =>
    Promise.all(shippingContract(() => of).map(({ run }) => run().then(() => 'passed', String)));

  it.each([
    [403, new ForbiddenException('Not yours')],
    [429, new HttpException('Too many requests', 429)],
  ])('names the request, the response and the field of the target after a %s', async (status, error) => {
    thrown = error;

    const results = await resultsOf(target);

    for (const result of results) {
      expect(result).toMatch(
        new RegExp(`(GET|POST) /api/projects/\\S+ responds with ${status}: .*${error.message}`),
      );
      expect(result).toContain('"headers" do not open the project');
    }
  });

  it('names the request and the field of the target when the path is wrong', async () => {
    const results = await resultsOf({ ...target, path: 'wrong/:project_id/sales/orders' });

    for (const result of results)
      expect(result).toMatch(/wrong\/\S+ responds with 404(.|\n)*"path" of the target/);
  });

  it('shows the last error of a check that fails', async () => {
    const other = { ...target, headers: { 'if-match': '"9"' } };

    const results = await resultsOf(other);

    expect(results.join()).toMatch(/The last error: PATCH \/api\S+ responds with 412: .*version_mismatch/);
  });

  it('leaves nothing in the defaults project, even if a check fails there', async () => {
    const unwrap = (body: Envelope): Envelope => {
      if (body['use_default'] === true) throw new Error('No such envelope.');
      return body;
    };
    const before = await methods.list('default');

    const results = await resultsOf({ ...target, unwrap });

    expect(results.join()).toContain('No such envelope.');
    expect(await methods.list('default')).toEqual(before);
  });

  it('takes an origin with a slash at its end', async () => {
    const results = await resultsOf({ ...target, origin: `${target.origin}/` });

    expect(new Set(results)).toEqual(new Set(['passed']));
  });
});
