// After both builds of the library: what the package needs besides the output of the compiler.
import { writeFileSync } from 'node:fs';

const library = new URL('../libs/shipping/', import.meta.url);

// The package is of type "module": the CommonJS build has to say that it is not.
writeFileSync(new URL('dist/cjs/package.json', library), '{ "type": "commonjs" }\n');

// The OpenAPI document of the routes at their default path.
const { shippingDocument } = await import('../libs/shipping/dist/esm/openapi/openapi.js');
const document = JSON.stringify(shippingDocument(), null, 2);
writeFileSync(new URL('openapi.json', library), `${document}\n`);
