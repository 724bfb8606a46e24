/** Guarantee: the document of the JSON API names every route that is served, and generators take it as it is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { Router } from 'express';
import { describe, expect, it } from 'vitest';
import { createOrderRoutes } from '../../../src/orders/order-routes.ts';
import { createApiRouter } from '../../../src/people/console/api.ts';
import { apiDocument } from '../../../src/people/console/openapi/document.ts';
import { childEnv } from '../../support/child-env.ts';
import { execFile } from '../../support/child-process.ts';
import { COMPILER } from '../../support/compiler.ts';
import { described } from './openapi-answers.ts';

const run = promisify(execFile);
const TEXT = JSON.stringify(apiDocument('http://127.0.0.1:8081'));

/** Methods and paths of a router and of those in it. Only registered, never called. */
function routesOf(router: Router, prefix: string): string[] {
  return router.stack.flatMap((layer) => {
    if (layer.route === undefined) {
      const inner = layer.handle as Partial<Router>;
      return inner.stack === undefined ? [] : routesOf(inner as Router, prefix);
    }
    const path = prefix + layer.route.path.replaceAll(/:(\w+)/g, '{$1}').replace(/\/$/, '');
    const methods = layer.route.stack.map(({ method }) => String(method).toUpperCase());
    return [...new Set(methods)]
      .filter((method) => ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].includes(method))
      .map((method) => `${method} ${path}`);
  });
}

describe('the OpenAPI document of the JSON API', () => {
  it('names every operation that is served, and no other', () => {
    const none = {} as never;
    const served = [
      ...routesOf(createApiRouter(none, none), '/api'),
      ...routesOf(createOrderRoutes(none), '/api/orders'),
    ];
    expect(served.length).toBeGreaterThan(20);
    expect(new Set(served)).toEqual(new Set(described));
  });

  it("passes Redocly's recommended rules", async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: TEXT, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('makes a typed client', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'forestall-api-'));
    try {
      await writeFile(join(folder, 'openapi.json'), TEXT);
      await writeFile(join(folder, 'use.ts'), USE);
      const contract = new URL('../../contract/support/', import.meta.url).pathname;
      const generate = [`--import=${contract}typescript-5.ts`, `${contract}generate-clients.ts`];
      await run(process.execPath, [...generate, join(folder, 'openapi.json'), folder], {
        env: childEnv(),
      });
      const tsconfig = { compilerOptions: STRICT, files: ['use.ts'] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      const repository = new URL('../../../', import.meta.url).pathname;
      const tsc = join(repository, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [tsc, '-p', folder, ...COMPILER.arguments], {
        env: { ...childEnv(), ...COMPILER.env },
      }).catch((error: unknown) => error as { stdout: string });
      expect(stdout).toBe('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const STRICT = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, noUncheckedIndexedAccess: true },
  ...{ target: 'es2023', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
  ...{ module: 'esnext', moduleResolution: 'bundler' },
};

const USE = `
import { client } from './client/client.gen';
import { getAlerts, postAlertsIdDecision } from './client/sdk.gen';
import type { components, paths } from './types';
type Item = components['schemas']['AlertItem'];
export const dueBy = (item: Item): string => item.deadline_at;
// @ts-expect-error no such state
export const slip: Item['state'] = 'SOMETHING';
type Decision = paths['/api/alerts/{id}/decision']['post']['requestBody']['content']['application/json'];
export const decision: Decision = { action: 'ACCEPT_DISPUTE', note: 'not worth it' };
// @ts-expect-error no such action
export const wrong: Decision = { action: 'PAY' };
export async function acceptAll(baseUrl: string, token: string): Promise<void> {
  client.setConfig({ baseUrl, auth: token });
  const { data } = await getAlerts({ query: { state: 'open' } });
  for (const { id } of data?.items ?? []) {
    await postAlertsIdDecision({ path: { id }, body: { action: 'ACCEPT_DISPUTE' } });
  }
}
`;
