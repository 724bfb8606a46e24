/**
 * The running world of the fault cases: serve, work and console, the sandbox, a fake processor and
 * PostgreSQL, each a process of its own, with a proxy between each pair.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Child } from './child.ts';
import { startChild } from './child.ts';
import type { Neighbour } from './neighbour.ts';
import type { Postgres } from './postgres.ts';
import { startPostgres } from './postgres.ts';
import type { FaultProxy } from './proxy.ts';
import { openProxy } from './proxy.ts';
import type { RemoteProcessor, RemoteSandbox } from './remote.ts';
import { remoteProcessor, remoteSandbox } from './remote.ts';

export type Role = 'serve' | 'work' | 'console';

/** The proxies, named by who connects to whom. */
export interface Proxies {
  readonly sandboxToServe: FaultProxy;
  readonly serveToDatabase: FaultProxy;
  readonly workToDatabase: FaultProxy;
  readonly consoleToDatabase: FaultProxy;
  readonly workToService: FaultProxy;
  readonly workToProcessor: FaultProxy;
}

/** Everything a case can reach. */
export interface Rig {
  readonly folder: string;
  readonly postgres: Postgres;
  readonly database: string;
  readonly proxies: Proxies;
  readonly sandbox: RemoteSandbox;
  readonly processor: RemoteProcessor;
  readonly secrets: RigSecrets;
  readonly organisationId: string;
  /** A second organisation, where there is one. */
  readonly neighbour: Neighbour | undefined;
  /** How a case that starts a world of its own gives it a second organisation too; undefined: the run has one only. */
  readonly openNeighbour: OpenNeighbour | undefined;
  /** How far every clock is ahead of the machine's, in milliseconds. */
  aheadMs(): number;
  /** The running processes of a role, oldest first. */
  running(role: Role): readonly Child[];
  /** Everything that was ever started, for its output. */
  children(): readonly Child[];
  /** Starts one process of the role and waits until it works. */
  start(role: Role): Promise<Child>;
  /** The same with settings of its own; it stands aside: nothing is routed to it, and the case ends it. */
  startAside(role: Role, env: Readonly<Record<string, string>>, how?: Aside): Promise<Child>;
  /** From now on every process is started from this tree; a rolling upgrade replaces them one by one. */
  useTree(tree: string): void;
  /** The settings of a role, for a case that starts one by hand. */
  environment(role: Role): Readonly<Record<string, string>>;
  portOf(child: Child | undefined): number;
  /** Ends all processes of the role with the signal and starts as many. */
  restart(role: Role, signal?: NodeJS.Signals): Promise<void>;
  /** The port of the role's first process, past every proxy. */
  port(role: 'serve' | 'console'): number;
  /** Moves the clock of everything, or of all but the service: the roles are restarted and follow. */
  moveTime(byMs: number, but?: { readonly service: false }): Promise<void>;
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** What must appear in no output. */
export interface RigSecrets {
  readonly apiKey: string;
  readonly webhook: string;
  readonly processor: string;
  readonly console: string;
}

/** How a process that stands aside differs in more than settings. */
export interface Aside {
  /** See `ChildOptions.through`. */
  readonly through?: readonly string[];
  /** Options of Node itself. */
  readonly node?: readonly string[];
}

/** What {@link forestall} runs. */
export interface Command extends Aside {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** Another copy of the package. @default this one */
  readonly tree?: string;
}

/** What the settings say of the first organisation. */
export type OfFirst = Readonly<
  Record<'FORESTALL_ORGANISATION_ID' | 'FORESTALL_INTEGRATION_ID', string>
>;

/** Opens a second organisation for the processes of a world. */
export type OpenNeighbour = (folder: string, first: OfFirst) => Promise<Neighbour>;

/** How many of each role run. */
export type Replicas = Readonly<Record<Role, number>>;

const TREE = fileURLToPath(new URL('../../..', import.meta.url));
const PROCESSOR = fileURLToPath(new URL('./processor.ts', import.meta.url));
const POLICY = fileURLToPath(new URL('./policy.yaml', import.meta.url));

const READY: Readonly<Record<Role, RegExp>> = {
  serve: /"port":(\d+).*"msg":"listening"/,
  console: /"port":(\d+).*"msg":"listening"/,
  work: /"msg":"worker started"/,
};

/** The shortest poll the settings allow, in seconds. */
const POLL_SECONDS = 10;

/** Runs `forestall <args>` in the folder, with nothing but `env` set. */
export function forestall(folder: string, command: Command): Child {
  const { name, args, env, tree = TREE, node = [], through } = command;
  const logFile = join(folder, `${name}.log`);
  const main = join(tree, 'src/people/cli/main.ts');
  return startChild({ name, args: [...node, main, ...args], env, folder, logFile, through });
}

/** The port on which a `serve` or `work` shows metrics and health. */
export async function privatePortOf(child: Child): Promise<number> {
  return Number((await child.printed(/"metricsPort":(\d+)/))[1]);
}

/** Starts a fake processor, which says that it is a test or a live one when `mode` is given. */
export function startProcessor(
  folder: string,
  { name, secret, mode }: { name: string; secret: string; mode?: 'test' | 'live' },
): Child {
  const ledger = join(folder, name === 'processor' ? 'ledger.jsonl' : `${name}.jsonl`);
  const args = [PROCESSOR, ledger, secret, ...(mode === undefined ? [] : [mode])];
  return startChild({ name, args, env: {}, folder, logFile: join(folder, `${name}.log`) });
}

/** A folder for one run, which others may enter: PostgreSQL may have to run as another user. */
export async function makeFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'forestall-faults-'));
}

/** Starts everything. */
export async function openRig(
  folder: string,
  options: {
    postgres?: Postgres | Promise<Postgres>;
    replicas?: Replicas;
    /** Between two polls. @default the shortest that the settings allow */
    pollSeconds?: number;
    /** @default there is no second organisation */
    openNeighbour?: ((folder: string, first: OfFirst) => Promise<Neighbour>) | undefined;
  } = {},
): Promise<Rig> {
  const { replicas = { serve: 1, work: 1, console: 1 }, pollSeconds = POLL_SECONDS } = options;
  await mkdir(folder, { recursive: true });
  const starting = options.postgres ?? startPostgres();
  const database = `faults_${randomBytes(4).toString('hex')}`;
  const children: Child[] = [];
  const started: Record<Role, Child[]> = { serve: [], work: [], console: [] };
  const ports = new Map<Child, number>();
  let aheadMs = 0;
  let turn = 0;
  let tree = TREE;

  const running = (role: Role): Child[] => started[role].filter((child) => child.isRunning());
  const portOf = (child: Child | undefined): number =>
    child === undefined ? 1 : (ports.get(child) ?? 1);
  const secrets = {
    processor: `processor-${randomBytes(12).toString('hex')}`,
    console: `console-${randomBytes(12).toString('hex')}`,
  };
  await writeFile(join(folder, 'ledger.jsonl'), '');
  const processorChild = startProcessor(folder, { name: 'processor', secret: secrets.processor });
  const toDatabase = (): number => postgres.port;
  const sandboxToServe = await openProxy(() => {
    const all = running('serve');
    turn += 1;
    return portOf(all[turn % Math.max(1, all.length)]);
  });
  const sandboxChild = forestall(folder, {
    name: 'sandbox',
    args: [
      'sandbox',
      '--seed',
      String(randomInt(2 ** 31)),
      '--webhooks',
      `http://127.0.0.1:${sandboxToServe.port}/webhooks`,
    ],
    env: { FORESTALL_SANDBOX_PORT: '0' },
  });
  const postgres = await starting;
  await postgres.createDatabase(database);
  const processorPort = Number((await processorChild.printed(/listening (\d+)/))[1]);
  const said = async (name: string): Promise<string> =>
    (await sandboxChild.printed(new RegExp(`${name}=(\\S+)`)))[1] ?? '';
  const sandbox = remoteSandbox(await said('FORESTALL_SERVICE_URL'));
  // The receivers' clock is moved with the service's, so signatures carry the service's time.
  await sandbox.patch('/clock', { signature_time: 'sandbox' });
  const sandboxPort = Number(new URL(sandbox.url).port);
  const proxies: Proxies = {
    sandboxToServe,
    serveToDatabase: await openProxy(toDatabase),
    workToDatabase: await openProxy(toDatabase),
    consoleToDatabase: await openProxy(toDatabase),
    workToService: await openProxy(() => sandboxPort),
    workToProcessor: await openProxy(() => processorPort),
  };
  const databasePort: Readonly<Record<Role, number>> = {
    serve: proxies.serveToDatabase.port,
    work: proxies.workToDatabase.port,
    console: proxies.consoleToDatabase.port,
  };
  const environment = {
    FORESTALL_SERVICE_URL: `http://127.0.0.1:${proxies.workToService.port}`,
    FORESTALL_API_KEY: await said('FORESTALL_API_KEY'),
    FORESTALL_PARTNER_API_KEY: await said('FORESTALL_PARTNER_API_KEY'),
    FORESTALL_WEBHOOK_SECRETS: await said('FORESTALL_WEBHOOK_SECRETS'),
    FORESTALL_ORGANISATION_ID: await said('FORESTALL_ORGANISATION_ID'),
    FORESTALL_INTEGRATION_ID: await said('FORESTALL_INTEGRATION_ID'),
    FORESTALL_PROCESSOR: `http://127.0.0.1:${proxies.workToProcessor.port}`,
    FORESTALL_PROCESSOR_SECRET: secrets.processor,
    FORESTALL_POLICY: POLICY,
    FORESTALL_CONSOLE_TOKEN: secrets.console,
    FORESTALL_RECONCILE_SECONDS: String(pollSeconds),
    PORT: '0',
    FORESTALL_CONSOLE_PORT: '0',
    FORESTALL_METRICS_PORT: '0',
  };
  const neighbour: Neighbour | undefined = await options.openNeighbour?.(folder, environment);
  const environmentOf = (role: Role): Record<string, string> => ({
    ...environment,
    DATABASE_URL: postgres.url(database, databasePort[role]),
  });
  const startAside: Rig['startAside'] = async (role, env, how = {}) => {
    const child = forestall(folder, {
      name: `${role}-${children.length}`,
      args: [role],
      env: { ...environmentOf(role), ...env },
      tree,
      ...how,
    });
    children.push(child);
    const match = await child.printed(READY[role]);
    ports.set(child, Number(match[1] ?? 0));
    return child;
  };
  const start: Rig['start'] = async (role) => {
    const child = await startAside(role, role === 'console' ? {} : (neighbour?.env ?? {}));
    started[role].push(child);
    return child;
  };
  const migrate = forestall(folder, {
    name: 'migrate',
    args: ['migrate'],
    env: { ...environment, DATABASE_URL: postgres.url(database, postgres.port) },
  });
  if ((await migrate.ended).code !== 0) throw new Error(`migrate failed:\n${migrate.text()}`);
  const roles = ['work', 'serve', 'console'] as const;
  await Promise.all(
    roles.flatMap((role) => Array.from({ length: replicas[role] }, () => start(role))),
  );

  const rig: Rig = {
    folder,
    postgres,
    database,
    proxies,
    sandbox,
    processor: remoteProcessor(`http://127.0.0.1:${processorPort}`),
    secrets: {
      ...secrets,
      apiKey: environment.FORESTALL_API_KEY,
      webhook: environment.FORESTALL_WEBHOOK_SECRETS,
    },
    organisationId: environment.FORESTALL_ORGANISATION_ID,
    neighbour,
    openNeighbour: options.openNeighbour,
    aheadMs: () => aheadMs,
    running,
    children: () => [...children, sandboxChild, processorChild],
    start,
    startAside,
    environment: environmentOf,
    useTree(next): void {
      tree = next;
    },
    portOf,
    async restart(role, signal = 'SIGTERM'): Promise<void> {
      const all = running(role);
      await Promise.all(all.map((child) => child.end(signal)));
      await Promise.all(all.map(() => start(role)));
    },
    port: (role) => portOf(running(role)[0]),
    async moveTime(byMs, but): Promise<void> {
      aheadMs += byMs;
      const counts = roles.map((role) => ({ role, all: running(role) }));
      await Promise.all(counts.flatMap(({ all }) => all.map((child) => child.end('SIGTERM'))));
      await postgres.moveClock(database, aheadMs);
      await rig.processor.moveClock(aheadMs);
      await neighbour?.moveClock(aheadMs);
      await Promise.all(
        counts.flatMap(({ role, all }) => (role === 'work' ? [] : all.map(() => start(role)))),
      );
      if (but === undefined) await sandbox.advance(byMs);
      await Promise.all(counts[0]?.all.map(() => start('work')) ?? []);
    },
    sql: (text, values) =>
      neighbour === undefined || !/^\s*(?:select|with|insert|update|delete)\b/i.test(text)
        ? postgres.query(database, text, values)
        : neighbour.sqlOfFirst(postgres.url(database, postgres.port), text, values),
    async close(): Promise<void> {
      for (const child of children) if (child.isRunning()) child.signal('SIGKILL');
      await Promise.all(children.map((child) => child.ended));
      await Promise.all([sandboxChild.end('SIGKILL'), processorChild.end('SIGKILL')]);
      await neighbour?.close();
      for (const proxy of Object.values(proxies)) await proxy.close();
      if (options.postgres === undefined) await postgres.close();
    },
  };
  // The first look of a run with a neighbour makes views: on the primary, for a standby gets them from there.
  if (neighbour !== undefined) await rig.sql('select 1');
  return rig;
}
