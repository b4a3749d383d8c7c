export { type ContractCheck, type ContractOptions, shippingContract } from './contract.js';
export { type ContractTarget, type Envelope } from './contract-client.js';
export { embeddedPostgres, embeddedTypeOrm, expectNoSchemaDrift } from './embedded-database.js';
export { testTypeOrm, type TestTypeOrmOptions } from './test-database.js';
