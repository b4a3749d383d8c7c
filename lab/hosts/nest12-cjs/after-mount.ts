// Like both-formats.ts, but the other format is loaded after the module was mounted.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { ShippingModule } from 'nestjs-shipping';

const load = new Function('name', 'return import(name)') as (name: string) => Promise<unknown>;

ShippingModule.forRoot();
assert
  .rejects(load('nestjs-shipping'), /nestjs-shipping is loaded twice in this process/)
  .catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
