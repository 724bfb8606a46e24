/** Three PostgreSQL under Patroni, three etcd, HAProxy and PgBouncer before them, on ports of this machine. */

import { chmodSync, chownSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import pg from 'pg';
import { makeAuthority } from '../faults/rig/certificate.ts';
import type { FaultProxy } from '../faults/rig/proxy.ts';
import { openProxy } from '../faults/rig/proxy.ts';
import { rest, until } from '../faults/rig/until.ts';
import { SYNC_LIMIT_MS, spawnSync as spawnSyncChild } from '../support/child-process.ts';
import {
  etcdYaml,
  haproxyCfg,
  patroniYaml,
  pgbouncerIni,
  roleChangeFile,
  roleChangeSh,
  userList,
} from './configuration.ts';
import type { Programs } from './packages.ts';
import type { ClusterPlan, NodePlan } from './plan.ts';
import { planCluster } from './plan.ts';
import type { OrdinaryUser, Program } from './programs.ts';
import { endAllIn, signalAllIn, startProgram } from './programs.ts';

/** A member, as Patroni tells of it. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

/** One PostgreSQL with its Patroni. */
export interface Node extends NodePlan {
  readonly etcdWays: readonly FaultProxy[];
  /** Whether its data has a file system of its own. */
  readonly hasOwnDisk: boolean;
  start(): void;
  /** Patroni and PostgreSQL, every process of them. */
  signal(name: NodeJS.Signals): void;
  /** Patroni stops PostgreSQL, and then ends. */
  stop(): Promise<void>;
  patroni(): Program;
  /** As PostgreSQL's superuser, past everything. */
  query(text: string, values?: unknown[], database?: string): Promise<Record<string, unknown>[]>;
  /** Lets its programs be those of another folder, from the next start on. */
  useServer(folder: string): void;
}

/** The cluster. */
export interface Cluster {
  readonly plan: ClusterPlan;
  readonly nodes: readonly Node[];
  /** Through PgBouncer and HAProxy; and through HAProxy alone. */
  readonly url: string;
  readonly directUrl: string;
  members(): Promise<readonly Member[]>;
  leader(): Promise<Node>;
  /** The standby that commits wait for. */
  synchronous(): Promise<Node>;
  /** Another leader than this one, which takes writes. */
  leaderAfter(before: Node): Promise<Node>;
  /** Waits until all three are there again, and commits wait for one. */
  whole(): Promise<void>;
  switchOver(from: Node, to: Node): Promise<void>;
  /** Copies of a standby that could not follow any more were made anew. */
  reinitialised(): number;
  close(): Promise<void>;
}

/** How to start it. */
export interface ClusterOptions {
  readonly folder: string;
  readonly programs: Programs;
  readonly user: OrdinaryUser | undefined;
  readonly limitMs: number;
}

const QUERY_LIMIT_MS = 5_000;
const ASK_LIMIT_MS = 4_000;
const START_LIMIT_MS = 180_000;
/** Until a member that left is back, in milliseconds; then its copy is made anew. */
const REJOIN_LIMIT_MS = 90_000;
/** A replica may be so many bytes behind when all is well. */
const LAG_MAX = 1_048_576;
/** Room for data and write-ahead log. */
const DISK_SIZE = '1500m';

/** Starts it and makes the database of Forestall. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder, programs, user, limitMs } = options;
  const ways = new Map<string, FaultProxy[]>();
  const plan = await planCluster(folder, async (node, etcdPort) => {
    const way = await openProxy(() => etcdPort);
    ways.set(node, [...(ways.get(node) ?? []), way]);
    return way.port;
  });
  const { password, haproxyPort, pgbouncerPort } = plan;
  const own = (path: string, mode: number): void => {
    if (user !== undefined) chownSync(path, user.uid, user.gid);
    chmodSync(path, mode);
  };
  const write = (name: string, text: string): string => {
    const path = resolve(folder, name);
    writeFileSync(path, text);
    own(path, 0o600);
    return path;
  };
  const begin = (name: string, command: string, args: readonly string[], place = folder): Program =>
    startProgram({ name, command, args, folder: place, setpriv: programs.setpriv, user, limitMs });

  own(folder, 0o755);
  const authority = makeAuthority('Cluster bench');
  const { cert, key } = authority.issue('localhost');
  const authorityFile = write('ca.crt', authority.cert);
  write('server.crt', cert);
  write('server.key', key);
  write('userlist.txt', userList(plan));

  const nodeOf = (of: NodePlan): Node => {
    for (const path of [of.folder, of.diskFolder]) {
      mkdirSync(path, { recursive: true });
      own(path, 0o755);
    }
    const hasOwnDisk = user !== undefined && mountDisk(of.diskFolder, user);
    const config = write(`${of.name}.yaml`, patroniYaml(plan, of));
    write(roleChangeFile(of), roleChangeSh(plan, of));
    let patroni: Program | undefined;
    const node: Node = {
      ...of,
      etcdWays: ways.get(of.name) ?? [],
      hasOwnDisk,
      start(): void {
        patroni = begin('patroni', programs.patroni, [config], of.folder);
      },
      patroni(): Program {
        if (patroni === undefined) throw new Error(`${of.name} was not started.`);
        return patroni;
      },
      signal: (signal) => signalAllIn(of.folder, signal),
      async stop(): Promise<void> {
        await patroni?.end('SIGTERM');
      },
      query: (text, values, database = 'postgres') =>
        ask(
          `postgres://postgres:${password}@127.0.0.1:${of.postgresPort}/${database}`,
          text,
          values,
        ),
      useServer(server): void {
        symlinkSync(server, `${of.programsLink}.next`);
        renameSync(`${of.programsLink}.next`, of.programsLink);
      },
    };
    node.useServer(programs.server);
    return node;
  };
  for (const place of [1, 2, 3]) {
    begin(`etcd-${place}`, programs.etcd, [
      '--config-file',
      write(`etcd-${place}.yaml`, etcdYaml(plan, place)),
    ]);
  }
  const nodes = plan.nodes.map(nodeOf);
  const nodeNamed = (name: string | undefined): Node | undefined =>
    nodes.find((node) => node.name === name);
  let reinitialised = 0;
  const members = async (): Promise<readonly Member[]> => {
    let last: unknown;
    for (const { restPort } of nodes) {
      try {
        const response = await fetch(`http://127.0.0.1:${restPort}/cluster`, {
          signal: AbortSignal.timeout(ASK_LIMIT_MS),
        });
        return ((await response.json()) as { members: Member[] }).members;
      } catch (error) {
        last = error;
      }
    }
    throw last;
  };
  const control = async (node: Node, path: string, body: unknown): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${node.restPort}/${path}`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`patroni:${password}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REJOIN_LIMIT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return text;
  };
  const inRole = async (role: string): Promise<Node | undefined> =>
    nodeNamed((await members()).find((member) => member.role === role)?.name);
  const isWhole = async (): Promise<boolean> => {
    const all = await members();
    const leader = all.find(({ role }) => role === 'leader');
    const follows = ({ state, timeline, lag }: Member): boolean =>
      ['running', 'streaming'].includes(state) &&
      timeline === leader?.timeline &&
      (typeof lag !== 'number' || lag <= LAG_MAX) &&
      lag !== 'unknown';
    if (all.length !== nodes.length || !all.every(follows)) return false;
    if (!all.some(({ role }) => role === 'sync_standby')) return false;
    const [row] =
      (await nodeNamed(leader?.name)?.query(
        `select count(*) filter (where state = 'streaming')::int as streaming,
           count(*) filter (where sync_state in ('sync', 'quorum'))::int as waited
         from pg_stat_replication`,
      )) ?? [];
    return row?.['streaming'] === nodes.length - 1 && row['waited'] === 1;
  };
  const cluster: Cluster = {
    plan,
    nodes,
    url: `postgres://forestall:${password}@127.0.0.1:${pgbouncerPort}/forestall`,
    directUrl: `postgres://forestall:${password}@localhost:${haproxyPort}/forestall?sslmode=verify-full&sslrootcert=${authorityFile}`,
    members,
    leader: () => until('there is a primary', async () => await inRole('leader'), START_LIMIT_MS),
    synchronous: () =>
      until('a standby is synchronous', async () => await inRole('sync_standby'), START_LIMIT_MS),
    leaderAfter: (before) =>
      until(
        `another than ${before.name} is the primary`,
        async () => {
          const others = nodes.filter((node) => node !== before);
          for (const node of others) {
            const [row] = await node.query('select pg_is_in_recovery() as follows').catch(() => []);
            if (row?.['follows'] === false) return node;
          }
          return undefined;
        },
        START_LIMIT_MS,
      ),
    async whole(): Promise<void> {
      try {
        await until('the cluster is whole', isWhole, REJOIN_LIMIT_MS);
        return;
      } catch {
        const all = await members();
        const leader = all.find(({ role }) => role === 'leader');
        for (const { name, role, timeline, state } of all) {
          const stays = timeline === leader?.timeline && ['running', 'streaming'].includes(state);
          const node = nodeNamed(name);
          if (role === 'leader' || stays || node === undefined) continue;
          reinitialised += 1;
          await control(node, 'reinitialize', { force: true });
        }
      }
      await until('the cluster is whole', isWhole, START_LIMIT_MS).catch(async (error: unknown) => {
        throw new Error(`${String(error)} ${JSON.stringify(await members())}`);
      });
    },
    async switchOver(from, to): Promise<void> {
      await control(from, 'switchover', { leader: from.name, candidate: to.name });
    },
    reinitialised: () => reinitialised,
    async close(): Promise<void> {
      endAllIn(folder);
      await Promise.all([...ways.values()].flat().map((way) => way.close()));
    },
  };
  // Before the three agree on a version Patroni takes them for an older one, and asks what they do not know.
  for (const { clientPort } of plan.etcd) {
    await until('the three etcd agree', async () => {
      const answer = await fetch(`http://127.0.0.1:${clientPort}/version`);
      const { etcdserver, etcdcluster } = (await answer.json()) as Record<string, string>;
      return minorOf(etcdserver) === minorOf(etcdcluster);
    });
  }
  for (const node of nodes) node.start();
  await until('the cluster is whole', isWhole, START_LIMIT_MS);
  // Commits wait for a standby from the beginning.
  const primary = await cluster.leader();
  await primary.query(`create role forestall login password '${password}'`);
  await primary.query('create database forestall owner forestall');
  begin('haproxy', programs.haproxy, ['-db', '-f', write('haproxy.cfg', haproxyCfg(plan))]);
  begin('pgbouncer', programs.pgbouncer, [write('pgbouncer.ini', pgbouncerIni(plan))]);
  await until('the pooler leads to the primary', async () => {
    return (await ask(cluster.url, 'select 1')).length === 1;
  });
  await rest(1_000);
  return cluster;
}

const minorOf = (version: string | undefined): string | undefined =>
  /^\d+\.\d+/.exec(version ?? '')?.[0];

/** A file system of its own for a node's data; whether one could be made. */
function mountDisk(folder: string, user: OrdinaryUser): boolean {
  const options = `size=${DISK_SIZE},uid=${user.uid},gid=${user.gid},mode=0755`;
  const { status } = spawnSyncChild('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], {
    timeout: SYNC_LIMIT_MS,
  });
  return status === 0;
}

async function ask(
  connectionString: string,
  text: string,
  values?: unknown[],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: QUERY_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(text, values)).rows;
  } finally {
    // A frozen server never says goodbye.
    void client.end().catch(() => undefined);
  }
}
