import { expect, it } from 'vitest';
import { changesBetween } from './change-result.js';
import { decideCreate } from './method-changes.js';
import { MethodView } from './method-view.js';
import { methodSet } from './stored-method.sample.js';

it('an inserted row that a trigger of the database has removed is an error', () => {
  const view = new MethodView(methodSet([]));
  const writes = decideCreate({ carrier_code: 'ups', method_code: '03', method_label: 'Ground' }, 10)(view);

  expect(() => changesBetween(view, view, writes)).toThrow('A new method is missing after the write.');
});
