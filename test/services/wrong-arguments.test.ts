import { type ShippingCallOptions, InvalidParameterError, type UpsertManyOptions } from 'nestjs-shipping';
import { beforeEach, describe, expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

const host = mounted();
let project: string;
beforeEach(() => {
  project = freshProject();
});

describe('an id or a code of the wrong form', () => {
  it('is refused by each call that takes it', async () => {
    const { methods, events } = host;
    const calls = [
      methods.list('a b'),
      methods.tree('a b'),
      methods.findActive('a b'),
      methods.findAll('a b'),
      methods.find('a b', 'id'),
      methods.findByCodes('a b', { carrier_code: 'ups', method_code: '03' }),
      methods.remove('a b', 'id'),
      methods.adoptDefaults('a b'),
      methods.removeAll('a/b'),
      events.findAll({ projectId: 'no/such', orderId: 'o' }),
      events.findAll('o' as never),
      events.removeHistories('a/b'),
      events.removeHistory({ projectId: 'a', orderId: '' }),
      events.redactHistory({ projectId: 'a', orderId: '' }),
    ];

    for (const call of calls) await expect(call).rejects.toThrow(InvalidParameterError);
  });

  it('is refused by the name of its parameter', async () => {
    await expect(host.events.removeHistory({ projectId: 'a b', orderId: '#1001' })).rejects.toMatchObject({
      violations: [
        { parameter: 'projectId', code: 'format' },
        { parameter: 'orderId', code: 'format' },
      ],
    });
    await expect(host.methods.tree('')).rejects.toMatchObject({
      violations: [{ parameter: 'projectId', code: 'required' }],
    });
  });

  it.each([undefined, null, 3, {}])('is refused by findByCodes() when it is no string: %j', async (code) => {
    const carrier = host.methods.findByCodes(project, { carrier_code: code as string, method_code: '03' });
    const method = host.methods.findByCodes(project, { carrier_code: 'ups', method_code: code as string });

    await expect(carrier).rejects.toMatchObject({
      violations: [{ parameter: 'carrier_code', code: 'type' }],
    });
    await expect(method).rejects.toMatchObject({ violations: [{ parameter: 'method_code', code: 'type' }] });
    expect(
      await host.methods.findByCodes(project, { carrier_code: ' no code', method_code: 'x' }),
    ).toBeNull();
  });

  it.each([undefined, null, 3, {}, 'no id'])('names no method when it is the id %j', async (id) => {
    const missing = { status: 404, code: 'method_not_found' };

    expect(await host.methods.find(project, id as string)).toBeNull();
    await expect(host.methods.findOrFail(project, id as string)).rejects.toMatchObject(missing);
    await expect(host.methods.remove(project, id as string)).rejects.toMatchObject(missing);
  });
});

it('a parameter of list() with a misspelt name is refused by that name', async () => {
  const misspelt = { perPage: 1, raw_filter: [] } as object;

  await expect(host.methods.list(project, misspelt)).rejects.toMatchObject({
    violations: [
      { parameter: 'perPage', code: 'unknown', allowed: ['page', 'per_page', 'q', 'filter', 'raw_filters'] },
      { parameter: 'raw_filter', code: 'unknown' },
    ],
  });
});

it('null in the place of the options of a call is refused', async () => {
  const { methods, events } = host;
  const options = null as never;
  const id = 'id';
  const calls: (() => Promise<unknown>)[] = [
    () => methods.create(project, ground, options),
    () => methods.list(project, {}, options),
    () => methods.tree(project, options),
    () => methods.findActive(project, options),
    () => methods.findAll(project, options),
    () => methods.find(project, id, options),
    () => methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' }, options),
    () => methods.update(project, id, ground, options),
    () => methods.upsert(project, ground, options),
    () => methods.upsertMany(project, [ground], options),
    () => methods.adoptDefaults(project, options),
    () => methods.remove(project, id, options),
    () => methods.removeAll(project, options),
    () => events.record({ projectId: project, orderId: 'o' }, { type: 'order.placed' }, options),
    () => events.list({ projectId: project, orderId: 'o' }, {}, options),
    () => events.findAll({ projectId: project, orderId: 'o' }, options),
    async () => events.stream({ projectId: project, orderId: 'o' }, options),
    () => events.removeHistory({ projectId: project, orderId: 'o' }, options),
    () => events.removeHistories(project, options),
    () => events.redactHistory({ projectId: project, orderId: 'o' }, options),
  ];

  for (const call of calls) await expect(call()).rejects.toThrow('The options of a call must be an object.');
});

it('a manager in the place of the options is refused, and the error names the remedy', async () => {
  const { manager } = host.dataSource;
  const call = host.methods.tree(project, manager as ShippingCallOptions);

  await expect(call).rejects.toThrow('Pass the manager in the options: { manager }.');
});

describe('an option of the wrong type', () => {
  it.each<[option: string, value: unknown]>([
    ['removeOthers', 'yes'],
    ['removeOthers', null],
    ['dryRun', 1],
    ['dryRun', 'false'],
    ['maxRemoved', -1],
    ['maxRemoved', 1.5],
    ['maxRemoved', '5'],
    ['maxRemoved', Number.NaN],
  ])('is a TypeError that names it: %s %j', async (option, value) => {
    const options = { removeOthers: true, [option]: value } as UpsertManyOptions;

    const refused = host.methods.upsertMany(project, [ground], options);

    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(`"${option}"`);
    expect((await host.methods.list(project)).data).toEqual([]);
  });

  it('is a TypeError for the dry run of adoptDefaults, too', async () => {
    await expect(host.methods.adoptDefaults(project, { dryRun: 0 as never })).rejects.toThrow('"dryRun"');
  });

  it.each([['1'], ['*'], ['"a b"'], [1], [null]])(
    'is an invalid parameter for an etag, which may come from a client: %j',
    async (etag) => {
      const { id } = await host.methods.create(project, ground);
      const options = { etag: etag as string };
      const refused = { code: 'invalid_parameter', violations: [{ parameter: 'etag', code: 'format' }] };

      await expect(host.methods.update(project, id, ground, options)).rejects.toMatchObject(refused);
      await expect(host.methods.remove(project, id, options)).rejects.toMatchObject(refused);
      await expect(host.methods.remove(project, id, { etag: ['"1"', etag as string] })).rejects.toThrow(
        'with its quotes',
      );
    },
  );
});

it('a manager that is a QueryRunner is a TypeError, so that no call leaves its transaction', async () => {
  const runner = host.dataSource.createQueryRunner();
  const manager = runner as never;

  const calls = [
    host.methods.create(project, ground, { manager }),
    host.events.record({ projectId: project, orderId: 'o' }, { type: 'order.placed' }, { manager }),
  ];
  const outcomes = await Promise.allSettled(calls);
  await runner.release();

  const refused = {
    reason: new TypeError(
      'The option "manager", or the result of "entityManager", must be an EntityManager. If you have a QueryRunner, pass queryRunner.manager.',
    ),
  };
  expect(outcomes).toMatchObject([refused, refused]);
});

it.each<[what: string, options: unknown]>([
  ['null as its manager', { manager: null }],
  ['no object as its options', true],
])('a call with %s is a TypeError, so that it does not commit by itself', async (_what, options) => {
  const recording = host.events.record(
    { projectId: project, orderId: 'o' },
    { type: 'order.placed' },
    options as never,
  );

  await expect(recording).rejects.toThrow(TypeError);
});

it('an option with a misspelt name is refused, so that no call leaves its transaction', async () => {
  const { manager } = host.dataSource;
  const [misspelt, matching] = [{ managr: manager } as object, { manager, etag: '"1"' }];
  const placed = [{ projectId: project, orderId: 'o' }, { type: 'order.placed' }] as const;
  const calls = [
    host.methods.create(project, ground, misspelt),
    host.methods.update(project, 'id', ground, misspelt),
    host.methods.list(project, {}, misspelt),
    host.methods.findByCodes(project, { carrier_code: 'ups', method_code: '03' }, misspelt),
    host.events.record(...placed, misspelt),
    host.events.findAll({ projectId: project, orderId: 'o' }, misspelt),
  ];

  for (const call of calls) await expect(call).rejects.toThrow('This call has no option "managr".');
  expect(() => host.events.stream({ projectId: project, orderId: 'o' }, misspelt)).toThrow(
    'no option "managr"',
  );
  // A create has no etag to match.
  await expect(host.methods.create(project, ground, matching)).rejects.toThrow('no option "etag"');
  expect((await host.methods.list(project)).data).toEqual([]);
});
