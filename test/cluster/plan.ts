/** Where everything of one run is: folders, ports, the password. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '../../src/base/db/embedded/free-port.ts';

/** One PostgreSQL with its Patroni. */
export interface NodePlan {
  readonly name: string;
  /** Of Patroni; the socket of PostgreSQL lies here as well. */
  readonly folder: string;
  /** A file system of its own, where one can be mounted. */
  readonly diskFolder: string;
  readonly dataFolder: string;
  /** Leads to the folder with PostgreSQL's programs: an upgrade lets it lead elsewhere. */
  readonly programsLink: string;
  readonly postgresPort: number;
  readonly restPort: number;
  /** Its own way to each etcd, which can be cut. */
  readonly etcdPorts: readonly number[];
}

/** All of it. */
export interface ClusterPlan {
  readonly folder: string;
  readonly password: string;
  readonly etcd: readonly { readonly clientPort: number; readonly peerPort: number }[];
  readonly nodes: readonly NodePlan[];
  readonly haproxyPort: number;
  readonly pgbouncerPort: number;
}

/** Chooses them. `waysToEtcd` opens a node's own way to each etcd and answers its port. */
export async function planCluster(
  folder: string,
  wayToEtcd: (node: string, etcdPort: number) => Promise<number>,
): Promise<ClusterPlan> {
  const etcd = await Promise.all(
    [1, 2, 3].map(async () => ({ clientPort: await freePort(), peerPort: await freePort() })),
  );
  const nodeOf = async (name: string): Promise<NodePlan> => {
    const own = join(folder, name);
    const disk = join(own, 'disk');
    return {
      name,
      folder: own,
      diskFolder: disk,
      dataFolder: join(disk, 'data'),
      programsLink: join(own, 'programs'),
      postgresPort: await freePort(),
      restPort: await freePort(),
      etcdPorts: await Promise.all(etcd.map(({ clientPort }) => wayToEtcd(name, clientPort))),
    };
  };
  return {
    folder,
    password: randomBytes(18).toString('hex'),
    etcd,
    nodes: await Promise.all(['pg-1', 'pg-2', 'pg-3'].map(nodeOf)),
    haproxyPort: await freePort(),
    pgbouncerPort: await freePort(),
  };
}
