// The package comes as an ES module and as CommonJS. A process that loads both has each class twice, and Nest
// cannot inject the one where the other is asked for.

interface Loaded {
  formats: Set<string>;
  /** The format whose `ShippingModule` is in use. */
  mounted?: string;
}

const key = Symbol.for('nestjs-shipping.loaded');
const format = typeof require === 'undefined' ? 'import' : 'require';
const loaded = ((globalThis as { [key]?: Loaded })[key] ??= { formats: new Set() });

loaded.formats.add(format);
if (loaded.mounted !== undefined && loaded.mounted !== format) throw loadedTwice();

/** @throws Error when this process has loaded the package in both formats */
export function mountOneFormat(): void {
  if (loaded.formats.size > 1) throw loadedTwice();
  loaded.mounted = format;
}

function loadedTwice(): Error {
  return new Error(
    'nestjs-shipping is loaded twice in this process: by import (ES module) and by require (CommonJS). Load it ' +
      'in one way only. Usually one module of the application is built as CommonJS and another one as ES module, ' +
      'or a CommonJS file calls import("nestjs-shipping").',
  );
}
