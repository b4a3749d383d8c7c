// Every subpath, with its types, in a host that has no @nestjs/swagger.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { type ShippingMethodDto, ShippingModule, type ShippingModuleOptions } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { ShippingPageModule } from 'nestjs-shipping/page';
import { documentShipping, shippingDocument } from 'nestjs-shipping/openapi';
import { type ContractCheck, shippingContract } from 'nestjs-shipping/testing';

const options: ShippingModuleOptions = { defaultsProjectId: 'default' };
// @ts-expect-error: types that resolve to `any` would let this pass.
const wrong: ShippingModuleOptions = { defaultsProjectId: 1 };
const label = (method: ShippingMethodDto): string => method.method_label;
const checks: ContractCheck[] = shippingContract(() => ({ origin: 'http://127.0.0.1' }));
const document = documentShipping(shippingDocument());

const found = [ShippingModule.forRoot(options), ...shippingMigrations, ...checks, document, label, wrong];
if (found.length < 10 || existsSync('node_modules/@nestjs/swagger')) throw new Error('not what was expected');
console.log('✓ every subpath is there, with its types, without swagger');
