import { expect, it, onTestFinished } from 'vitest';
import { ShippingModule } from 'nestjs-shipping';
import { testDatabase } from '../support/database.js';
import { compiled, typeOrm } from './host.js';

it('The checks at boot cause no warning of Node, such as that of pg about parallel queries', async () => {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const warnings: Error[] = [];
  const hear = (warning: Error): void => void warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));

  const testing = await compiled([typeOrm(database), ShippingModule.forRoot()]);
  await testing.init();
  await new Promise(setImmediate);
  await testing.close();

  expect(warnings).toEqual([]);
});
