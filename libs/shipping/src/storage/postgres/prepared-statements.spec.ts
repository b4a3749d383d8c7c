import { describe, expect, it } from 'vitest';
import { type Connection, PreparedStatements } from './prepared-statements.js';

/** Fails as told for statements with a name, and records the names of all statements. */
function connectionThat(fails: (name: string) => unknown): { names: (string | undefined)[] } & Connection {
  const names: (string | undefined)[] = [];
  return {
    names,
    query: ({ name, text }) => {
      names.push(name);
      const error = name === undefined ? undefined : fails(name);
      return error ? Promise.reject(error as Error) : Promise.resolve({ rows: [{ text }] });
    },
  };
}

describe('prepared statements', () => {
  it('have one name for each text, and no name for a text that is used once', async () => {
    const statements = new PreparedStatements();
    const connection = connectionThat(() => undefined);
    for (const text of ['SELECT 1', 'SELECT 2', 'SELECT 1'])
      await statements.query(connection, text, [], false);
    await statements.query(connection, 'SELECT 1', [], true);
    const [one, two, again, oneOff] = connection.names;
    expect(one).toMatch(/^shipping_[0-9a-f]{16}$/);
    expect(two).not.toBe(one);
    expect(again).toBe(one);
    expect(oneOff).toBeUndefined();
  });

  it.each(['26000', '42P05', '0A000'])(
    'that a pooler lost (%s) are sent without a name from then on',
    async (code) => {
      const statements = new PreparedStatements();
      const connection = connectionThat(() => Object.assign(new Error('lost'), { code }));
      expect(await statements.query(connection, 'SELECT 1', [], false)).toEqual([{ text: 'SELECT 1' }]);
      await statements.query(connection, 'SELECT 1', [], false);
      expect(connection.names.map((name) => name !== undefined)).toEqual([true, false, false]);
    },
  );

  it('that fail with another error are not sent again', async () => {
    const connection = connectionThat(() => Object.assign(new Error('taken'), { code: '23505' }));
    await expect(new PreparedStatements().query(connection, 'INSERT', [], false)).rejects.toThrow('taken');
    expect(connection.names).toHaveLength(1);
  });
});
