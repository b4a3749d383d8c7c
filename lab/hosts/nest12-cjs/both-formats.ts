// A process that loads the package in both formats gets an error before anything is mounted.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { ShippingModule } from 'nestjs-shipping';

// TypeScript would turn `import()` into `require()` here.
const load = new Function('name', 'return import(name)') as (name: string) => Promise<unknown>;

const message = /nestjs-shipping is loaded twice in this process/;

async function main(): Promise<void> {
  await load('nestjs-shipping');
  assert.throws(() => ShippingModule.forRoot(), message);
  console.log('✓ a process with both formats is refused');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
