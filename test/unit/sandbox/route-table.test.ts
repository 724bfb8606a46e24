/** Guarantee: a path finds its one endpoint: words before parameters, whatever its case and last slash. */
import { expect, test } from 'vitest';
import type { Endpoint } from '../../../src/sandbox/http/endpoint.ts';
import type { Method } from '../../../src/sandbox/http/route.ts';
import { createRouteTable } from '../../../src/sandbox/http/route-table.ts';

const endpoint = (method: Method, path: string): Endpoint => ({
  method,
  path,
  faultable: true,
  handle: () => ({ status: 200 }),
});

const find = createRouteTable([
  endpoint('GET', '/'),
  endpoint('GET', '/v1/orders/'),
  endpoint('GET', '/v1/orders/{order_id}'),
  endpoint('GET', '/v1/orders/latest'),
  endpoint('PATCH', '/v1/orders/{order_id}'),
  endpoint('GET', '/v1/rulesets/{ruleset_id}/rules/{rule_id}'),
]);

test.each([
  ['GET', '/', '/', {}],
  ['GET', '/v1/orders', '/v1/orders/', {}],
  ['GET', '/V1/Orders/', '/v1/orders/', {}],
  ['HEAD', '/v1/orders/', '/v1/orders/', {}],
  ['GET', '/v1/orders/ord_A', '/v1/orders/{order_id}', { order_id: 'ord_A' }],
  ['GET', '/v1/orders/a%2Fb/', '/v1/orders/{order_id}', { order_id: 'a/b' }],
  ['GET', '/v1/orders/latest', '/v1/orders/latest', {}],
  ['PATCH', '/v1/orders/latest', '/v1/orders/{order_id}', { order_id: 'latest' }],
  [
    'GET',
    '/v1/rulesets/r/rules/q',
    '/v1/rulesets/{ruleset_id}/rules/{rule_id}',
    { ruleset_id: 'r', rule_id: 'q' },
  ],
])('%s %s finds %s', (method, path, template, params) => {
  const found = find(method, path);
  expect(found?.endpoint.path).toBe(template);
  expect(found?.params).toEqual(params);
});

test.each([
  ['POST', '/v1/orders'],
  ['GET', '/v1'],
  ['GET', '/v1/orders//'],
  ['GET', '/v1/orders/a/b'],
  ['DELETE', '/v1/orders/a'],
])('%s %s finds nothing', (method, path) => {
  expect(find(method, path)).toBeUndefined();
});

test('a path that is badly encoded is an error of the caller', () => {
  expect(() => find('GET', '/v1/orders/%zz')).toThrow(URIError);
});
