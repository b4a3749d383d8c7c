// nestjs-shipping is an ES module. Jest loads those with `node --experimental-vm-modules`, and then wants the
// test files, too, as ES modules:
module.exports = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false }] },
  testTimeout: 60_000,
};
