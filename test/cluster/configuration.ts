/**
 * The configuration of the cluster: the files that `forestall add deployment/patroni` copies, with this run's ports,
 * folders and passwords in the place of theirs. Each text that is replaced must be there, so that a template
 * cannot change without the bench noticing.
 */
import { readFileSync } from 'node:fs';
import type { ClusterPlan, NodePlan } from './plan.ts';

const TEMPLATES = new URL('../../templates/deployment/', import.meta.url);

/** A text of the template, and what stands there in this run. */
type Replacement = readonly [from: string, to: string];

/** @throws {Error} when a text is not there */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`The template has no "${from}" to replace.`);
    return before.replaceAll(from, to);
  }, text);
}

function template(path: string, replacements: readonly Replacement[]): string {
  return replaced(readFileSync(new URL(path, TEMPLATES), 'utf8'), replacements);
}

const EVERY = '0.0.0.0';
const HERE = '127.0.0.1';
const PLACES = [1, 2, 3] as const;

export function etcdYaml({ folder, etcd }: ClusterPlan, place: number): string {
  const own = etcd[place - 1];
  if (own === undefined) throw new Error(`There is no etcd ${place}.`);
  return template('patroni/etcd.yaml', [
    ['name: etcd-1', `name: etcd-${place}`],
    ['/var/lib/etcd/forestall', `${folder}/etcd-${place}`],
    [`${EVERY}:2379`, `${HERE}:${own.clientPort}`],
    [`${EVERY}:2380`, `${HERE}:${own.peerPort}`],
    [
      'advertise-client-urls: http://etcd-1.internal:2379',
      `advertise-client-urls: http://${HERE}:${own.clientPort}`,
    ],
    [
      'initial-advertise-peer-urls: http://etcd-1.internal:2380',
      `initial-advertise-peer-urls: http://${HERE}:${own.peerPort}`,
    ],
    ...PLACES.map(
      (each): Replacement => [
        `etcd-${each}=http://etcd-${each}.internal:2380`,
        `etcd-${each}=http://${HERE}:${etcd[each - 1]?.peerPort}`,
      ],
    ),
  ]);
}

export function patroniYaml({ folder, password }: ClusterPlan, node: NodePlan): string {
  return template('high-availability/patroni.yaml', [
    ['name: pg-1', `name: ${node.name}`],
    [`${EVERY}:8008`, `${HERE}:${node.restPort}`],
    ['pg-1.internal:8008', `${HERE}:${node.restPort}`],
    // Without the first line Patroni asks etcd for other addresses, past what can be cut here.
    [
      '  hosts: etcd-1.internal:2379,etcd-2.internal:2379,etcd-3.internal:2379',
      `  use_proxies: true\n  hosts: ${node.etcdPorts.map((port) => `${HERE}:${port}`).join(',')}`,
    ],
    [`${EVERY}:5432`, `${HERE}:${node.postgresPort}`],
    ['pg-1.internal:5432', `${HERE}:${node.postgresPort}`],
    ['10.0.0.0/8', '127.0.0.0/8'],
    ['replace-me', password],
    ['/var/lib/postgresql/data', node.dataFolder],
    ['/usr/lib/postgresql/18/bin', node.programsLink],
    ['/var/run/postgresql', node.folder],
    ['/etc/patroni/server', `${folder}/server`],
    ['/etc/patroni/on-role-change.sh', roleChangeFile(node)],
    ['/dev/watchdog', `${node.folder}/no-watchdog`],
  ]);
}

/** Where the script is that Patroni runs when a server becomes the primary. */
export const roleChangeFile = ({ folder }: NodePlan): string => `${folder}/on-role-change.sh`;

export function roleChangeSh({ password }: ClusterPlan, node: NodePlan): string {
  return template('high-availability/on-role-change.sh', [
    [
      'host=/var/run/postgresql port=5432 user=postgres',
      `host=${HERE} port=${node.postgresPort} user=postgres password=${password}`,
    ],
    ['/usr/lib/postgresql/18/bin', node.programsLink],
  ]);
}

export function haproxyCfg({ nodes, haproxyPort }: ClusterPlan): string {
  return template('high-availability/haproxy.cfg', [
    [`bind ${HERE}:5432`, `bind ${HERE}:${haproxyPort}`],
    ...nodes.map(
      ({ name, postgresPort, restPort }): Replacement => [
        `${name}.internal:5432 check port 8008`,
        `${HERE}:${postgresPort} check port ${restPort}`,
      ],
    ),
  ]);
}

export function pgbouncerIni({ folder, haproxyPort, pgbouncerPort }: ClusterPlan): string {
  return template('patroni/pgbouncer.ini', [
    ['forestall = host=db.internal port=5432', `forestall = host=localhost port=${haproxyPort}`],
    ['listen_port = 6432', `listen_port = ${pgbouncerPort}`],
    ['/etc/pgbouncer', folder],
  ]);
}

export function userList({ password }: ClusterPlan): string {
  return template('patroni/userlist.txt', [['replace-me', password]]);
}
