import {
  type BadInput,
  violating,
  methods,
  noMethod,
  noSuchMethod,
  noSuchRoute,
  orders,
  type Verdict,
} from '../../support/bad-inputs.js';
import { ground } from '../../support/client.js';

/** A project id or an order id, as it is written in the path. */
const identifiers: [given: string, id: string, violation?: 'format' | 'length'][] = [
  ['64 characters', 'x'.repeat(64)],
  ['65 characters', 'x'.repeat(65), 'length'],
  ['5,000 characters', 'x'.repeat(5_000), 'length'],
  ['every sign that is allowed', '_a.b:c-9'],
  ['an encoded letter', 'sho%70'],
  ['a hyphen first', '-a', 'format'],
  ['two encoded dots', '%2e%2e', 'format'],
  ['a NUL', 'a%00', 'format'],
  ['a slash', 'a%2Fb', 'format'],
  ['a blank', 'a%20b', 'format'],
  ['a letter that is not ASCII', '%C3%A9', 'format'],
  ['a percent sign encoded twice', 'a%252e', 'format'],
];

/** Method ids that no method has, as they are written in the path. */
const strangers: [given: string, id: string][] = [
  ['one letter', 'x'],
  ['an unknown UUID', noMethod],
  ['a UUID and a letter', `${noMethod}x`],
  ['a NUL', '%00'],
  ['5,000 letters', 'x'.repeat(5_000)],
  ['a slash', 'a%2Fb'],
  ['the name of another route', 'tree'],
];

const at = (project: string): string => methods.replace('{project}', project);

const notEncoded: [given: string, method: 'GET' | 'DELETE', path: string][] = [
  ['a project that is not percent-encoded', 'GET', at('%ZZ')],
  ['a project that is not UTF-8', 'GET', at('%FF')],
  ['an order with an encoded surrogate', 'GET', `${orders}/%ED%A0%80/events`],
  ['a method id that is not UTF-8', 'DELETE', `${methods}/%C3%28`],
];

const noRoutes: [given: string, method: BadInput['method'], path: string][] = [
  ['the path of one method', 'GET', `${methods}/{id}`],
  ['the path of the tree', 'POST', `${methods}/tree`],
  ['the path of one method', 'PUT', `${methods}/{id}`],
  ['the path of the list', 'DELETE', methods],
  ['an empty project', 'GET', at('')],
  ['an empty method id', 'DELETE', `${methods}/`],
];

/** Query parameters that a route does not know. */
const queries: [method: BadInput['method'], path: string, response: number][] = [
  ['GET', `${methods}/tree?page=0&filter=x&q=%00`, 200],
  ['GET', `${orders}/1/events?page=0&per_page=&q=%00`, 200],
  ['DELETE', `${methods}/{id}?page=0&page=0`, 204],
];

export const paths: BadInput[] = [
  ...identifiers.flatMap(([given, id, violation]): BadInput[] => {
    const verdict = (name: string): Verdict => (violation ? violating(`${name} ${violation}`) : 200);
    const events = `${orders}/${id}/events`;
    return [
      { given: `a project id with ${given}`, method: 'GET', path: at(id), response: verdict('project_id') },
      { given: `an order id with ${given}`, method: 'GET', path: events, response: verdict('order_id') },
    ];
  }),
  ...strangers.flatMap(([given, id]): BadInput[] => {
    const input = { given: `${given} as the method id`, path: `${methods}/${id}`, response: noSuchMethod };
    return [
      { ...input, method: 'PATCH', body: ground },
      { ...input, method: 'DELETE' },
    ];
  }),
  ...notEncoded.map(([given, method, path]): BadInput => ({
    given,
    method,
    path,
    response: violating('path format'),
  })),
  ...noRoutes.map(([given, method, path]): BadInput => ({ given, method, path, response: noSuchRoute })),
  ...queries.map(([method, path, response]): BadInput => ({
    given: `an unknown query: ${path}`,
    method,
    path,
    response,
  })),
];
