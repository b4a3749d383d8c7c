// Vendure as it is installed, with as many shipping methods as a shop of the benchmark has. It checks no session, which
// saves it one look-up.
import { randomUUID } from 'node:crypto';
import {
  bootstrap,
  DefaultLogger,
  defaultShippingCalculator,
  defaultShippingEligibilityChecker,
  LanguageCode,
  LogLevel,
  manualFulfillmentHandler,
  RequestContextService,
  ShippingMethodService,
} from '@vendure/core';

const { DATABASE_URL, PORT, HOST, METHODS } = process.env;

const app = await bootstrap({
  apiOptions: { port: Number(PORT), hostname: HOST, adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
  authOptions: {
    disableAuth: true,
    tokenMethod: 'bearer',
    superadminCredentials: { identifier: 'bench', password: randomUUID() },
  },
  dbConnectionOptions: {
    type: 'postgres',
    url: DATABASE_URL,
    synchronize: true,
    extra: { max: 10 },
  },
  logger: new DefaultLogger({ level: LogLevel.Error }),
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [],
});

const context = await app.get(RequestContextService).create({ apiType: 'admin' });
const methods = app.get(ShippingMethodService);
const { totalItems } = await methods.findAll(context);
for (const { code, name } of JSON.parse(METHODS).slice(totalItems)) {
  await methods.create(context, {
    code,
    fulfillmentHandler: manualFulfillmentHandler.code,
    checker: {
      code: defaultShippingEligibilityChecker.code,
      arguments: [{ name: 'orderMinimum', value: '0' }],
    },
    calculator: {
      code: defaultShippingCalculator.code,
      arguments: [
        { name: 'rate', value: '500' },
        { name: 'includesTax', value: 'auto' },
        { name: 'taxRate', value: '20' },
      ],
    },
    translations: [{ languageCode: LanguageCode.en, name, description: '' }],
  });
}
