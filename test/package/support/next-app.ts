/**
 * A Next.js application made from the template as its notes say, built, and started beside a worker.
 *
 * It installs Next.js from the registry, which takes minutes: only for runs that ask for it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock } from '../../../src/base/kernel/clock.ts';
import { signedDelivery } from '../../../src/running/testing/signed-delivery.ts';
import { execFile, spawn } from '../../support/child-process.ts';
import type { PackedKit } from './packed-kit.ts';
import type { Receiver } from './receiver.ts';
import { hears, startReceiver } from './receiver.ts';

const run = promisify(execFile);

/** The version that was tried, and what it needs. */
const PACKAGES = [
  'next@16.4.6',
  'react@19.3.1',
  'react-dom@19.3.1',
  'pg@8.23.1',
  'typescript@7.0.2',
];
const TYPES = ['@types/node@24.10.1', '@types/react@19.3.0', '@types/pg@8.23.1'];

/** A running application. */
export interface NextApp {
  readonly receiver: Receiver;
  /** Sends this body, signed; altered afterwards when told so. Answers the status. */
  deliver(text: string, change?: { readonly altered: boolean }): Promise<number>;
  close(): Promise<void>;
}

const FILES: Readonly<Record<string, string>> = {
  'app/layout.tsx':
    'export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html><body>{children}</body></html>;\n}\n',
  'app/page.tsx': 'export default function Page() { return <p>shop</p>; }\n',
  'app/orders/route.ts': `import { openForestall } from '../../forestall/receivers/forestall';
let opened: ReturnType<typeof openForestall> | undefined;
export async function POST(request: Request): Promise<Response> {
  opened ??= openForestall();
  const accepted = await (await opened).orders.accept([await request.json()]);
  return Response.json(accepted, { status: 201 });
}
`,
  'next.config.ts': "export default { serverExternalPackages: ['forestall', 'pg'] };\n",
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...{
        target: 'es2023',
        lib: ['dom', 'esnext'],
        module: 'esnext',
        moduleResolution: 'bundler',
      },
      ...{ strict: true, noEmit: true, jsx: 'react-jsx' },
      ...{ skipLibCheck: true, isolatedModules: true, esModuleInterop: true },
    },
    include: ['**/*.ts', '**/*.tsx'],
    exclude: ['node_modules'],
  }),
};

/** Installs, adds the template, builds and starts. `connectionString`: an empty database. */
export async function startNextApp(kit: PackedKit, connectionString: string): Promise<NextApp> {
  const root = join(dirname(kit.tarball), 'next');
  await makeApp(kit, root);
  const next = 'node_modules/next/dist/bin/next';
  await execute(root, [next, 'build']);
  const receiver = await startReceiver({
    ...{ root, connectionString, says: 'Ready in' },
    args: [next, 'start', '--hostname', '127.0.0.1'],
  });
  const { settings } = receiver;
  const forestall = 'node_modules/forestall/dist/people/cli/main.js';
  await execute(root, [forestall, 'migrate'], settings);
  const worker = spawn(process.execPath, [forestall, 'work'], { cwd: root, env: settings });
  const ended = new Promise((done) => worker.once('close', done));
  await hears(worker, 'worker started');
  return {
    receiver,
    deliver: async (text, change) => await deliver(receiver, text, change?.altered === true),
    close: async () => {
      worker.kill('SIGKILL');
      await ended;
      await receiver.close();
    },
  };
}

/** The steps that `forestall add receivers/nextjs` names. */
async function makeApp(kit: PackedKit, root: string): Promise<void> {
  await mkdir(root);
  const own = new URL('../../../package.json', import.meta.url);
  const { overrides } = JSON.parse(await readFile(own, 'utf8'));
  await writeFile(join(root, 'package.json'), JSON.stringify({ type: 'module', overrides }));
  const wanted = [kit.tarball, ...PACKAGES, ...TYPES];
  await run('npm', ['install', '--no-audit', '--no-fund', ...wanted], { cwd: root });
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  await execute(root, [
    'node_modules/forestall/dist/people/cli/main.js',
    'add',
    'receivers/nextjs',
  ]);
  const route = join(root, 'app/webhooks/route.ts');
  await mkdir(dirname(route));
  await rename(join(root, 'forestall/receivers/nextjs/route.ts'), route);
  const text = await readFile(route, 'utf8');
  const corrected = text.replace("'../forestall'", "'../../forestall/receivers/forestall'");
  await writeFile(route, corrected);
}

async function execute(
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const env = { PATH: process.env['PATH'], HOME: cwd, NEXT_TELEMETRY_DISABLED: '1', ...settings };
  await run(process.execPath, [...args], { cwd, env });
}

async function deliver(
  { url, sandbox }: Receiver,
  text: string,
  altered: boolean,
): Promise<number> {
  const secret = sandbox.accounts.webhookSecret;
  const { body, headers } = signedDelivery({ event: text, secret, clock: systemClock });
  const sent = Buffer.from(altered ? body.replace('{ ', '{') : body);
  const init = { method: 'POST', headers: { ...headers }, body: sent };
  return (await fetch(`${url}/webhooks`, init)).status;
}
