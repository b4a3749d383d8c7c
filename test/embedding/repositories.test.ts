import { ShippingMethod } from 'nestjs-shipping';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';

describe("the entities' columns", () => {
  it('are JSON and times in a repository of the host', async () => {
    const database = await testDatabase();
    const methods = database.dataSource.getRepository(ShippingMethod);
    const times = { createdAt: new Date('2026-03-08T07:00:00.123Z'), updatedAt: new Date(0) };
    const codes = { projectId: 'p', carrierCode: 'ups', methodCode: '03' };
    const row = { ...codes, ...times, id: '01890000-0000-7000-8000-000000000000', meta: { a: [1] } };
    const others = { methodLabel: 'x', isActive: true, sortOrder: 0, useDefault: ['meta'], version: 1 };

    await methods.save(Object.assign(new ShippingMethod(), { ...row, ...others }));

    expect(await methods.findOneBy(codes)).toMatchObject({ ...row, ...others });
    await database.close();
  });
});
