// The types of the ES module, which differ from those of CommonJS only in their format.
import { type ShippingModuleOptions, ShippingMethodsService } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { createShippingDocument } from 'nestjs-shipping/openapi';
import { pageTexts } from 'nestjs-shipping/page';
import { type ContractTarget, shippingContract } from 'nestjs-shipping/testing';

const options: ShippingModuleOptions = { maxPageSize: 50 };
const target: ContractTarget = { origin: 'http://127.0.0.1' };
const found = [
  ShippingMethodsService,
  ...shippingMigrations,
  createShippingDocument(),
  ...shippingContract(() => target),
  options,
  pageTexts.de.title,
];
if (found.length < 10) throw new Error('not what was expected');
console.log('✓ every subpath is there for import, with its types');
