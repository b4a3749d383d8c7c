import { MinimalReporter, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';

/** A run with more files than this takes minutes, so it says what it will take. */
const manyFiles = 40;
/** Measured with two workers on two quiet cores. */
const testsPerFile = 18;
const secondsPerFile = 1;

/** `npm test`: what a run will take, the failures in full, one line for each reason to skip tests, and the sums. */
export default class QuietReporter extends MinimalReporter {
  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications);
    const { length } = specifications;
    const [tests, minutes] = [length * testsPerFile, (length * secondsPerFile) / 60];
    if (!process.env['TEST_DATABASE_URLS'])
      this.log('On the embedded PostgreSQL only. CONTRIBUTING.md says how to run on servers.');
    if (length > manyFiles)
      this.log(
        `${length} files, about ${Math.round(tests / 100) * 100} tests: about ${Math.max(2, Math.ceil(minutes))} minutes ` +
          'on two cores. Only failures are printed until the end.',
      );
  }

  override onTestRunEnd(...end: Parameters<MinimalReporter['onTestRunEnd']>): void {
    const counts = new Map<string, number>();
    for (const module of end[0])
      for (const test of module.children.allTests('skipped')) {
        const reason = skippedPart(test, module);
        counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    for (const [reason, count] of counts) this.log(`Not run, ${count} tests: ${reason}`);
    super.onTestRunEnd(...end);
  }
}

/** The title of the outermost suite that is skipped with the test: it has the reason. */
function skippedPart({ parent }: TestCase, module: TestModule): string {
  let title = 'of what this engine or adapter does not have';
  for (; parent !== module && parent.type === 'suite'; { parent } = parent)
    if (parent.options.mode === 'skip') title = parent.name;
  return title;
}
