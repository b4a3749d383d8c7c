// The package has two builds: ES modules and CommonJS. A process that loads both has each class twice, and Nest cannot
// inject one of them where the other is needed.

const key = Symbol.for('nestjs-shipping.loaded');
const format = typeof require === 'undefined' ? 'import' : 'require';
/** The formats that this process has loaded, and whether the `ShippingModule` of each is in use. */
const loaded = ((globalThis as { [key]?: Map<string, boolean> })[key] ??= new Map());

if (!loaded.has(format)) loaded.set(format, false);
// If the other build is mounted already, loading this one fails here. If neither is mounted yet, the first mount fails.
if ([...loaded].some(([other, isMounted]) => isMounted && other !== format)) throw loadedTwice();

/** @throws Error when this process has loaded the package in both formats */
export function mountOneFormat(): void {
  if (loaded.size > 1) throw loadedTwice();
  loaded.set(format, true);
}

function loadedTwice(): Error {
  return new Error(
    'nestjs-shipping is loaded twice in this process: by import (ES module) and by require (CommonJS). Load it ' +
      'in one way only. Usually one module of the application is built as CommonJS and another one as ES module, ' +
      'or a CommonJS file calls import("nestjs-shipping").',
  );
}
