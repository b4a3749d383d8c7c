import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { examplesIn, hostOf } from './types/examples.js';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const source = path('libs/shipping/src/');
const entryPoints = {
  'nestjs-shipping': 'index',
  'nestjs-shipping/migrations': 'database/migrations/migrations',
  'nestjs-shipping/openapi': 'openapi/openapi',
  'nestjs-shipping/page': 'page/page',
  'nestjs-shipping/testing': 'testing/testing',
};

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
  strict: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

/** @returns the declarations of the package, as the build writes them, and the errors of the build */
function build(): { declared: Map<string, string>; errors: string } {
  const files = Object.values(entryPoints).map((name) => `${source}${name}.ts`);
  const building = {
    ...options,
    declaration: true,
    emitDeclarationOnly: true,
    stripInternal: true,
    skipLibCheck: true,
  };
  const declared = new Map<string, string>();
  const { diagnostics } = ts
    .createProgram(files, building)
    .emit(undefined, (name, text) => declared.set(name, text));
  return { declared, errors: ts.formatDiagnostics(diagnostics, ts.createCompilerHost(building)) };
}

/** The files of other packages, which several programs share. */
const parsedFiles = new Map<string, ts.SourceFile | undefined>();

/** Compiles a host with every strict flag against these declarations. @returns the errors */
function errorsIn(hosts: string[], declared: Map<string, string>): string {
  const strictest: ts.CompilerOptions = {
    ...options,
    noEmit: true,
    skipLibCheck: false,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noUncheckedSideEffectImports: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    noFallthroughCasesInSwitch: true,
    allowUnreachableCode: false,
    paths: Object.fromEntries(
      Object.entries(entryPoints).map(([name, file]) => [name, [`${source}${file}.d.ts`]]),
    ),
  };
  const disk = ts.createCompilerHost(strictest);
  const onDisk = (...asked: Parameters<typeof disk.getSourceFile>): ts.SourceFile | undefined => {
    const [file] = asked;
    const parsed = parsedFiles.get(file) ?? disk.getSourceFile(...asked);
    parsedFiles.set(file, parsed);
    return parsed;
  };
  const isHidden = (file: string): boolean => file.startsWith(source) && !declared.has(file);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => declared.has(file) || (!isHidden(file) && disk.fileExists(file)),
    readFile: (file) => declared.get(file) ?? (isHidden(file) ? undefined : disk.readFile(file)),
    getSourceFile: (file, version, ...rest) => {
      const text = declared.get(file);
      return text === undefined ? onDisk(file, version, ...rest) : ts.createSourceFile(file, text, version);
    },
  };
  const program = ts.createProgram(
    hosts.map((name) => path(`test/types/${name}`)),
    strictest,
    host,
  );
  // Declarations of other packages are not ours to check.
  const ours = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'));
  const diagnostics = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ours.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ];
  return ts.formatDiagnostics(diagnostics, host);
}

describe('the types of the package', () => {
  const { declared, errors } = build();

  it('can all be declared', () => {
    expect(errors).toBe('');
  });

  it.each([
    ['does not name the types of its events and of meta', 'plain'],
    ['names them', 'shop'],
  ])('compile with every strict flag in a host that %s', (_host, folder) => {
    const files = readdirSync(path(`test/types/${folder}`)).filter((name) => name.endsWith('.ts'));

    expect(
      errorsIn(
        files.map((name) => `${folder}/${name}`),
        declared,
      ),
    ).toBe('');
  });

  const comments = Array.from(declared.values(), (text) => text.match(/\/\*\*[^]*?\*\//g) ?? []).flat();

  it('have doc comments that an editor shows as they are written', () => {
    // TypeScript takes a brace after @throws for a type, and a package name at the start of a line for a tag.
    const tags = /^ *\* @(?!param|returns|throws(?! \{)|example|default|typeParam|see)/m;

    expect(comments.filter((comment) => tags.test(comment))).toEqual([]);
  });

  it('compile in the examples of the doc comments', () => {
    const examples = comments.flatMap(examplesIn);
    declared.set(path('test/types/examples.host.ts'), hostOf(examples));

    expect(examples.length).toBeGreaterThan(40);
    expect(errorsIn(['examples.host.ts'], declared)).toBe('');
  });
});

it('the five programs of a shop run in one application', async () => {
  // An import by name would bring the types of the shop into all tests.
  const { run } = (await import(path('test/types/shop/main.ts'))) as { run: () => Promise<void> };

  await expect(run()).resolves.toBeUndefined();
});
