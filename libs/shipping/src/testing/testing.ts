export { orderEvent, shippingMethod } from './builders.js';
export { type ContractCheck, type ContractOptions, shippingContract } from './contract.js';
export { type ContractTarget, type Envelope } from './contract-client.js';
export { embeddedPostgresOptions, embeddedTypeOrmModule } from './embedded-database.js';
export { expectNoSchemaDrift } from './schema-drift.js';
export { testTypeOrmModule, type TestTypeOrmModuleOptions } from './test-database.js';
