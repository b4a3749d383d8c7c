import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { orderEventTypes } from 'nestjs-shipping';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const pages = [
  'reference.md',
  'reference-services.md',
  'reference-database.md',
  'migrations.md',
  'guide/page.md',
];
const text = pages.map((page) => readFileSync(new URL(`docs/${page}`, root), 'utf8')).join('\n');
/** Everything that the pages name as code. */
const code = Array.from(text.matchAll(/```[^]*?```|`[^`\n]+`/g), ([each]) => each).join('\n');
const isNamed = (name: string): boolean => new RegExp(`(?<!\\w|\\w\\.)${name}\\b`).test(code);

const entryPoints = [
  'index',
  'database/migrations/migrations',
  'openapi/openapi',
  'testing/testing',
  'page/page',
].map((name) => fileURLToPath(new URL(`libs/shipping/src/${name}.ts`, root)));
const program = ts.createProgram(entryPoints, {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  experimentalDecorators: true,
  skipLibCheck: true,
});
const checker = program.getTypeChecker();
const exported = new Map(
  entryPoints
    .flatMap((path) => checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!))
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]),
);
const typeOf = (name: string): ts.Type => checker.getDeclaredTypeOfSymbol(exported.get(name)!);
const propertiesOf = (name: string): string[] =>
  typeOf(name)
    .getProperties()
    .map((property) => property.name);

/** The public methods of a service, as the reference writes them: `find(projectId, id, options?)`. */
function callsOf(service: string): string[] {
  return typeOf(service)
    .getProperties()
    .filter(({ valueDeclaration }) => valueDeclaration && isPublic(valueDeclaration))
    .map(({ name, valueDeclaration: declaration }) => {
      if (!declaration || !ts.isMethodDeclaration(declaration)) return name;
      const parameters = declaration.parameters.map(({ name: parameter, questionToken, initializer }) => {
        const isOptional = questionToken !== undefined || initializer !== undefined;
        return `${ts.isIdentifier(parameter) ? parameter.text : 'options'}${isOptional ? '?' : ''}`;
      });
      return `${name}(${parameters.join(', ')})`;
    });
}

function isPublic(declaration: ts.Declaration): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isInternal = ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal');
  return !isInternal && (ts.getCombinedModifierFlags(declaration) & hidden) === 0;
}

/** The first cells of the tables below a heading. */
function firstCells(heading: string, page = text): string[] {
  const [, section = ''] = new RegExp(`\n## ${heading}\n([^]*?)(\n## |$)`).exec(page) ?? [];
  return Array.from(section.matchAll(/^\| `([^`]+)` /gm), ([, cell = '']) => cell);
}

describe('the reference', () => {
  it('names every public export', () => {
    expect(exported.size).toBeGreaterThan(50);
    expect([...exported.keys()].filter((name) => !isNamed(name))).toEqual([]);
  });

  it('names no class, type or error of ours that does not exist', () => {
    const ours = /`(?:new )?((?:\w*(?:Method|Event|Shipping|Violation)\w*|[A-Z]\w*Error))`/g;
    // These are classes of JavaScript, Nest and TypeORM, and the schema of a document.
    const others = new Set(['TypeError', 'QueryFailedError', 'OrderEventPage']);
    const named = Array.from(text.matchAll(ours), ([, name = '']) => name).filter((name) =>
      /^[A-Z]/.test(name),
    );

    expect(named.filter((name) => !exported.has(name) && !others.has(name))).toEqual([]);
  });

  it('lists every option, and no other', () => {
    const nested = { http: 'ShippingHttpOptions', beforeCommit: 'BeforeCommit' } as const;
    const options = propertiesOf('ShippingModuleOptions').flatMap((name) => {
      if (name === 'beforeCommit')
        return propertiesOf(nested.beforeCommit).map((field) => `${name}.${field}`);
      if (name === 'http') return [name, ...propertiesOf(nested.http).map((field) => `${name}.${field}`)];
      return [name];
    });

    expect(firstCells('Options').toSorted()).toEqual(options.toSorted());
  });

  it('gives each option the default of its doc comment', () => {
    const plain = (value: string): string => value.replaceAll(/['_]/g, '');
    const [, section = ''] = /\n## Options\n([^]*?)\n## /.exec(text) ?? [];
    const rows = section.matchAll(/^\| `(?:http\.)?(\w+)` +\| `([^`]+)` +\|/gm);
    const inTable = new Map(Array.from(rows, ([, name, value = '']) => [name, plain(value)]));
    const inComments = ['ShippingModuleOptions', 'ShippingHttpOptions'].flatMap((options) =>
      typeOf(options)
        .getProperties()
        .flatMap((option) => {
          const tag = option.getJsDocTags(checker).find(({ name }) => name === 'default');
          const value = ts.displayPartsToString(tag?.text);
          return tag && inTable.has(option.name) ? [[option.name, plain(value)] as const] : [];
        }),
    );

    expect(inComments.length).toBeGreaterThan(10);
    expect(Object.fromEntries(inComments)).toEqual(Object.fromEntries(inTable));
  });

  it('names every code of a violation and of an error', () => {
    const codes = ['ViolationCode', 'ShippingErrorCode'].flatMap((name) => {
      const type = typeOf(name);
      return type.isUnion() ? type.types.map((each) => (each as ts.StringLiteralType).value) : [];
    });

    expect(codes.length).toBeGreaterThan(20);
    expect(codes.filter((each) => !isNamed(each))).toEqual([]);
  });

  it('lists every usual type of an event, and no other', () => {
    const [, section = ''] = /\n## OrderEventsService\n([^]*?)\n## /.exec(text) ?? [];
    const listed = Array.from(section.matchAll(/`([a-z]+\.[a-z]+)`/g), ([, type = '']) => type).filter(
      (type) => type !== 'noun.verb',
    );

    expect(listed.toSorted()).toEqual([...orderEventTypes].toSorted());
  });

  it.each([
    'ShippingCallOptions',
    'FindMethodOptions',
    'ChangeMethodOptions',
    'UpsertManyOptions',
    'DryRunOptions',
  ])('names every option of a call in %s', (name) => {
    const fields = propertiesOf(name);

    expect(fields.length).toBeGreaterThan(0);
    expect(fields.filter((field) => !isNamed(field))).toEqual([]);
  });

  it('lists every call of ShippingMethodsService with its arguments, and no other', () => {
    expect(firstCells('ShippingMethodsService').toSorted()).toEqual(
      callsOf('ShippingMethodsService').toSorted(),
    );
  });

  it('lists every call of OrderEventsService with its arguments, every field of an event and of a query, and no other', () => {
    const all = [
      ...callsOf('OrderEventsService'),
      // Its id stands there only to refuse a stored event.
      ...propertiesOf('NewOrderEvent').filter((name) => name !== 'id'),
      ...propertiesOf('OrderEventQuery'),
    ];

    expect(firstCells('OrderEventsService').toSorted()).toEqual(all.toSorted());
  });

  it('lists every error of ours, and no other', () => {
    const others = new Set([
      'toShippingError',
      'isShippingError',
      'ShippingError',
      'ShippingHttpError',
      'InvalidInputError',
    ]);
    const errors = [...exported.keys()].filter((name) => name.endsWith('Error') && !others.has(name));

    expect(firstCells('Errors of the services').toSorted()).toEqual(errors.toSorted());
  });

  it('names the calls that throw an error as their doc comments do', () => {
    const [, section = ''] = /\n## Errors of the services\n([^]*?)\n## /.exec(text) ?? [];
    const inTable = Array.from(section.matchAll(/^\| `(\w+)` .*\| ([^|]+) \|$/gm)).flatMap(
      ([, error, cell = '']) =>
        Array.from(cell.matchAll(/`(\w+)`/g), ([, call]) => `${call} throws ${error}`),
    );
    const inComments = typeOf('ShippingMethodsService')
      .getProperties()
      .flatMap((call) =>
        call
          .getJsDocTags(checker)
          .filter(({ name }) => name === 'throws')
          .map((tag) => /^\w+/.exec(ts.displayPartsToString(tag.text))?.[0])
          .map((error) => `${call.name} throws ${error}`),
      );
    // The table says of the first two that every call, or each call with a request, throws them.
    const ofOneError = inComments.filter((each) => !/ValidationFailed|InvalidParameter|TypeError/.test(each));

    expect(ofOneError.length).toBeGreaterThan(10);
    expect(inTable.toSorted()).toEqual(ofOneError.toSorted());
  });

  it('lists in docs/guide/tests.md what the contract suite needs to know, and nothing else', () => {
    const guide = readFileSync(new URL('docs/guide/tests.md', root), 'utf8');

    expect(firstCells('Your own application', guide).toSorted()).toEqual(
      propertiesOf('ContractTarget').toSorted(),
    );
  });
});
