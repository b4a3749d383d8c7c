import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { catalogue, methodsPerProject } from '../data/catalogue.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The methods of a shop, for platforms with their own tables. */
const METHODS = JSON.stringify(
  catalogue
    .slice(0, methodsPerProject)
    .map(({ method_label }, index) => ({ code: `${index}`, name: method_label })),
);

const vendureList = JSON.stringify({
  query: `{ shippingMethods(options: { skip: 0, take: 20, sort: { id: ASC } }) {
    items { id code name description fulfillmentHandlerCode createdAt updatedAt } totalItems } }`,
});

const medusaFields = 'id,name,price_type,provider_id,metadata,created_at,updated_at';
const medusaList = `/admin/shipping-options?limit=20&order=id&fields=${medusaFields}`;

/** Signed with the secret of `medusa/medusa-config.js`. */
function medusaToken() {
  const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const user = { actor_id: 'bench', actor_type: 'user', auth_identity_id: 'bench', app_metadata: {} };
  const signed = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(user)}`;
  return `${signed}.${createHmac('sha256', 'bench').update(signed).digest('base64url')}`;
}

const medusaHeaders = { Authorization: `Bearer ${medusaToken()}` };

/** Contenders with their own API. `read` takes from an answer the total and the number of methods in it. */
export const platforms = {
  vendure: {
    title: 'Vendure',
    program: here('vendure/main.mjs'),
    cwd: here('vendure'),
    env: { METHODS, VENDURE_DISABLE_TELEMETRY: 'true' },
    translate: () => ({ method: 'POST', path: '/admin-api', body: vendureList }),
    read: ({ data }) => ({
      total: data.shippingMethods.totalItems,
      sent: data.shippingMethods.items.length,
    }),
  },
  medusa: {
    title: 'Medusa',
    program: here('medusa/main.mjs'),
    cwd: here('medusa'),
    env: { METHODS, MEDUSA_DISABLE_TELEMETRY: 'true', LOG_LEVEL: 'error' },
    translate: () => ({ path: medusaList, headers: medusaHeaders }),
    read: ({ shipping_options, count }) => ({ total: count, sent: shipping_options.length }),
  },
};
