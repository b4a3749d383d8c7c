// Every subpath, with its types, in a host that has no @nestjs/swagger.
import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { type ShippingMethodDto, ShippingModule, type ShippingModuleOptions } from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import { addShippingToDocument, createShippingDocument } from 'nestjs-shipping/openapi';
import { ShippingPageModule, type ShippingPageOptions } from 'nestjs-shipping/page';
import { type ContractCheck, shippingContract } from 'nestjs-shipping/testing';

const options: ShippingModuleOptions = { defaultsProjectId: 'default' };
// @ts-expect-error: types that resolve to `any` would let this pass.
const wrong: ShippingModuleOptions = { defaultsProjectId: 1 };
const page: ShippingPageOptions<{ user: string }> = { projects: (_request: { user: string }) => [] };
// @ts-expect-error: the same for the page.
const wrongPage: ShippingPageOptions = { login: 'basic' };
const label = (method: ShippingMethodDto): string => method.method_label;
const checks: ContractCheck[] = shippingContract(() => ({ origin: 'http://127.0.0.1' }));
const document = addShippingToDocument(createShippingDocument());

const modules = [ShippingModule.forRoot(options), ShippingPageModule.forRoot(page)];
const found = [...modules, wrongPage, ...shippingMigrations, ...checks, document, label, wrong];
if (found.length < 10 || existsSync('node_modules/@nestjs/swagger')) throw new Error('not what was expected');
console.log('✓ every subpath is there, with its types, without swagger');
