import {
  DatabaseUnavailableError,
  MethodNotFoundError,
  OutcomeUnknownError,
  repeatLostRaces,
} from 'nestjs-shipping';
import { type EntityManager, QueryFailedError } from 'typeorm';
import { describe, expect, it, vi } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

const race = new DatabaseUnavailableError(new Error('a deadlock'), 'race');

describe('repeatLostRaces()', () => {
  const host = mounted();

  it('runs a transaction again after a lost race, and keeps only the last try', async () => {
    const { dataSource } = host;
    const project = freshProject();
    let tries = 0;
    const placeOrder = async (manager: EntityManager): Promise<string> => {
      const { id } = await host.methods.create(project, ground, { manager });
      if (++tries < 3) throw race;
      return id;
    };

    const order = await repeatLostRaces(() => dataSource.transaction(placeOrder), { tries: 3 });

    expect(tries).toBe(3);
    expect(await host.methods.findAll(project)).toMatchObject([{ id: order }]);
  });

  it('knows the lost races of drivers, and throws the typed error after the last try', async () => {
    const deadlock = new QueryFailedError(
      'UPDATE',
      [],
      Object.assign(new Error('deadlock'), { code: '40P01' }),
    );
    const work = vi.fn<() => Promise<never>>(() => Promise.reject(deadlock));

    await expect(repeatLostRaces(work, { tries: 2 })).rejects.toMatchObject({
      contention: 'race',
      cause: deadlock,
    });
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('tries five times by default', async () => {
    const work = vi.fn<() => Promise<never>>(() => Promise.reject(race));

    await expect(repeatLostRaces(work)).rejects.toBe(race);
    expect(work).toHaveBeenCalledTimes(5);
  });

  it.each([
    ['a lock time-out', new DatabaseUnavailableError(new Error('lock'), 'lock')],
    ['a lost connection', new DatabaseUnavailableError(new Error('gone'))],
    ['a COMMIT whose outcome nobody knows', new OutcomeUnknownError(new Error('gone'))],
    ['an error of a call', new MethodNotFoundError()],
    ['an error of the host', new Error('no stock')],
  ])('does not repeat after %s', async (_what, error) => {
    const work = vi.fn<() => Promise<never>>(() => Promise.reject(error));

    await expect(repeatLostRaces(work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it.each([0, 1.5, Number.NaN])('refuses %s tries', async (tries) => {
    await expect(repeatLostRaces(() => Promise.resolve(), { tries })).rejects.toThrow(TypeError);
  });
});
