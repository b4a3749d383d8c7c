// Nest 12 is an ES module. Jest loads those with `node --experimental-vm-modules`, and then wants the test files
// as ES modules too.
const compilerOptions = {
  target: 'ES2023',
  module: 'ESNext',
  moduleResolution: 'bundler',
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
  isolatedModules: true,
};

export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false, tsconfig: compilerOptions }] },
};
