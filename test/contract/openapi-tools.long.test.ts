/** Guarantee: linters and generators take the OpenAPI document as it is. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterEach, beforeEach, expect } from 'vitest';
import { childEnv } from '../support/child-env.ts';
import { execFile } from '../support/child-process.ts';
import { COMPILER } from '../support/compiler.ts';
import { contract, sandboxRule } from './support/contract.ts';

const t = contract();
const run = promisify(execFile);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forestall-openapi-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function documentText(): Promise<string> {
  const { text } = await t.send({ method: 'GET', path: '/openapi.json' });
  return text;
}

async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

sandboxRule("Redocly's recommended rules find nothing", async () => {
  const text = await documentText();
  expect(await problemsOf(text)).toEqual([]);
  // They do look: an operation without a summary is found.
  const broken = text.replace('"summary":', '"title":');
  expect((await problemsOf(broken)).join()).toContain('operation-summary');
});

const STRICT = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, noUncheckedIndexedAccess: true },
  ...{ target: 'es2023', lib: ['es2024', 'dom', 'dom.iterable'], types: [] },
  ...{ module: 'esnext', moduleResolution: 'bundler' },
};

/** Uses what was generated, so that a type that collapsed to anything at all would be noticed. */
const USE = `
import { client } from './client/client.gen';
import { actOnAlert, listAlerts } from './client/sdk.gen';
import type { components, paths, webhooks } from './types';
type Alert = components['schemas']['Alert'];
type Filter = NonNullable<paths['/v1/alerts']['get']['parameters']['query']>;
export const filter: Filter = { status: 'ACTION_REQUIRED', limit: 10 };
// @ts-expect-error a status that is none
export const slip: Filter = { status: 'OPEN' };
export const outcome = (alert: Alert): string | null | undefined => alert.transaction_refund_outcome;
// @ts-expect-error no such field of an action
export const body: paths['/v1/alerts/{alert_id}']['patch']['requestBody'] = 'REFUND';
type Told = webhooks['alert.updated']['post']['requestBody']['content']['application/json'];
export const told = (event: Told): 'alert.updated' => event.type;
export async function answerAll(baseUrl: string): Promise<void> {
  client.setConfig({ baseUrl, auth: 'key' });
  const { data } = await listAlerts({ query: { status: 'ACTION_REQUIRED' } });
  for (const { id } of data?.items ?? []) {
    await actOnAlert({ path: { alert_id: id }, body: { action: 'ACCEPT_DISPUTE' } });
  }
}
`;

sandboxRule(
  'openapi-typescript and a second generator make code that type-checks strictly',
  async () => {
    const support = new URL('support/', import.meta.url).pathname;
    const repository = new URL('../../', import.meta.url).pathname;
    const file = join(folder, 'openapi.json');
    await writeFile(file, await documentText());
    await writeFile(join(folder, 'use.ts'), USE);
    const generate = [`--import=${support}typescript-5.ts`, `${support}generate-clients.ts`];
    await run(process.execPath, [...generate, file, folder], { env: childEnv() });
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    const check = async (config: object): Promise<string> => {
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
      const checked = run(process.execPath, [tsc, '-p', folder, ...COMPILER.arguments], {
        env: { ...childEnv(), ...COMPILER.env },
      });
      return await checked.then(
        ({ stdout }) => stdout,
        ({ stdout }) => stdout,
      );
    };
    expect(await check({ compilerOptions: STRICT, include: ['*.ts', 'client'] })).toBe('');
    // The client that the second generator brings along does not keep this option by itself.
    const stricter = { ...STRICT, exactOptionalPropertyTypes: true };
    expect(await check({ compilerOptions: stricter, files: ['types.ts'] })).toBe('');
  },
  60_000,
);
