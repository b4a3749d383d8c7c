// After the library's build: the OpenAPI document of the routes at their default path, for the package.
import { readFileSync, writeFileSync } from 'node:fs';
import { shippingDocument } from '../libs/shipping/dist/openapi/openapi.js';

const manifest = new URL('../libs/shipping/package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const document = JSON.stringify(shippingDocument({ version }), null, 2);
writeFileSync(new URL('../libs/shipping/openapi.json', import.meta.url), `${document}\n`);
