/** A CommonJS project in TypeScript under `node16`, as many there are: it uses a name of each entry. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PackedKit, Ran } from './packed-kit.ts';

const USE = `
import { ConfigError, createForestall, formatMoney, loadPolicy } from 'forestall';
import type { Forestall, ForestallOptions, Money, Processor } from 'forestall';
import client = require('forestall/client');
import { createSandbox, type Sandbox } from 'forestall/sandbox';
import { createVerifier } from 'forestall/signature';
import { createFixedClock } from 'forestall/testing';

const sum: Money = { amountMinor: 12_990, currency: 'USD' };
const open = (options: ForestallOptions): Promise<Forestall> => createForestall(options);
const alert = async (service: client.ServiceClient): Promise<client.Alert> => await service.alerts.get('netalrt_1');
const named = ({ name }: Processor): string => name;
export const codeOf = (error: ConfigError): 'CONFIG' => error.code;
// @ts-expect-error an amount is a number
export const slip: Money = { amountMinor: '1', currency: 'USD' };
async function main(): Promise<void> {
  const clock = createFixedClock('2026-11-20T00:00:00Z');
  const sandbox: Sandbox = await createSandbox({ clock });
  const verdict = createVerifier({ secrets: ['whsec_of_a_project_that_is_old'], clock }).verify(undefined, Buffer.from(''));
  await sandbox.close();
  const refused = (): unknown => { try { return createVerifier({ secrets: [], clock }); } catch (error) { return error; } };
  const { name } = loadPolicy('name: a\\nrules: []\\notherwise: ACCEPT_DISPUTE\\n', { file: 'a' });
  const same = (await import('forestall')).ConfigError === ConfigError;
  console.log(formatMoney(sum), verdict.ok, refused() instanceof ConfigError, name, same, typeof open, typeof alert, typeof named);
}
void main();
`;

/** Compiles it and runs what came out. */
export async function runCommonJs(kit: PackedKit): Promise<Ran> {
  const root = join(dirname(kit.root), 'commonjs');
  await mkdir(root);
  await symlink(join(kit.root, 'node_modules'), join(root, 'node_modules'));
  await writeFile(join(root, 'package.json'), '{ "name": "old", "type": "commonjs" }\n');
  const compilerOptions = {
    ...{
      target: 'es2022',
      module: 'node16',
      moduleResolution: 'node16',
      strict: true,
      outDir: 'out',
    },
    // Declarations themselves are checked in strict-project.test.ts.
    ...{ esModuleInterop: true, types: ['node'], skipLibCheck: true },
  };
  await writeFile(
    join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use.ts'] }),
  );
  await writeFile(join(root, 'use.ts'), USE);
  const compiled = await kit.compile(root);
  return compiled.status === 0 ? await kit.node(['out/use.js'], root) : compiled;
}
