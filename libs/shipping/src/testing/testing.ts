export { type ContractCheck, type ContractOptions, shippingContract } from './contract.js';
export { type ContractTarget, type Envelope } from './contract-client.js';
export { embeddedPostgres, embeddedTypeOrm } from './embedded-database.js';
export { expectNoSchemaDrift } from './schema-drift.js';
export { testTypeOrm, type TestTypeOrmOptions } from './test-database.js';
