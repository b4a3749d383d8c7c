import { isShippingError } from 'nestjs-shipping';
import { expect, it } from 'vitest';
import { mounted } from '../mounted.js';
import { freshProject, ground } from '../support/client.js';

const host = mounted();

function textOf(error: unknown): string {
  if (!isShippingError(error)) throw error;
  switch (error.code) {
    case 'duplicate_method':
      return `The codes belong to the method ${error.existingId}.`;
    case 'version_mismatch':
      return `The method is at version ${error.currentVersion}.`;
    case 'validation_failed':
    case 'invalid_parameter':
      return error.violations.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
    default:
      throw error;
  }
}

it('the code of an error tells its class, whose fields a host can show', async () => {
  const project = freshProject();
  const { methods } = host;
  const { id } = await methods.create(project, ground);

  const duplicate = methods.create(project, ground).catch(textOf);
  const mismatch = methods.remove(project, id, { etag: '"7"' }).catch(textOf);
  const invalid = methods.create(project, { ...ground, method_label: '' }).catch(textOf);

  expect(await duplicate).toBe(`The codes belong to the method ${id}.`);
  expect(await mismatch).toBe('The method is at version 1.');
  expect(await invalid).toMatch(/^\/method_label: method_label must have 1 to 255 characters/);
  await expect(methods.findOrFail(project, 'none').catch(textOf)).rejects.toMatchObject({
    code: 'method_not_found',
  });
});
