/**
 * A TCP proxy that stands between two programs and goes wrong on request.
 *
 * `pass` forwards · `refuse` resets every connection, open or new · `stall` accepts and forwards nothing in
 * either direction, also on connections that are open already, until it passes again.
 */
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export type ProxyMode = 'pass' | 'refuse' | 'stall';

/** A running proxy. */
export interface FaultProxy {
  readonly port: number;
  /** The port on this machine that the next connection goes to. */
  target: () => number;
  mode(): ProxyMode;
  setMode(mode: ProxyMode): void;
  /** Lets what holds a text through and cuts the connection at the answer, which nobody reads. */
  loseAnswers(plan: LostAnswers): void;
  /** Answers of the plan still to be lost. */
  answersLeft(): number;
  /** Resets every open connection. Returns how many there were. */
  cut(): number;
  /** Forwards nothing more on the connections that are open now; new ones pass. Returns how many there were. */
  silence(): number;
  /** Connections since the start. */
  connections(): number;
  close(): Promise<void>;
}

/** Which answers are to be lost. */
export interface LostAnswers {
  readonly count: number;
  /** Of every so many one. @default 1 */
  readonly every?: number;
  /** What is asked. @default COMMIT, as drivers send it */
  readonly to?: string;
}

interface Pair {
  readonly near: Socket;
  far: Socket | undefined;
}

/** The end of PostgreSQL's simple query message, as drivers send it. */
const COMMIT = 'commit\0';

/** Opens a proxy on a free port of 127.0.0.1 towards `target`, a port of the same machine. */
export async function openProxy(target: () => number): Promise<FaultProxy> {
  const pairs = new Set<Pair>();
  let mode: ProxyMode = 'pass';
  let count = 0;
  let plan: Required<LostAnswers> = { count: 0, every: 1, to: COMMIT };
  let left = 0;
  let seen = 0;
  /** Cuts the pair when the server answers. Listens before anything is forwarded to us. */
  const loseAnswer = ({ near, far }: Pair): void => {
    left -= 1;
    far?.unpipe(near);
    far?.once('data', () => {
      near.resetAndDestroy();
      far.destroy();
    });
  };
  const forward = (pair: Pair): void => {
    const { near } = pair;
    if (pair.far !== undefined || near.destroyed) return;
    const far = connect(proxy.target(), '127.0.0.1');
    pair.far = far;
    far.setNoDelay(true);
    near.on('data', (chunk: Buffer) => {
      if (left === 0 || !chunk.includes(plan.to)) return;
      seen += 1;
      if (seen % plan.every === 0) loseAnswer(pair);
    });
    near.pipe(far);
    far.pipe(near);
    const end = (): void => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    far.on('error', () => near.resetAndDestroy());
    far.on('close', end);
    near.on('close', end);
  };
  const server: Server = createServer((near) => {
    count += 1;
    near.setNoDelay(true);
    near.on('error', () => near.destroy());
    if (mode === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const pair: Pair = { near, far: undefined };
    pairs.add(pair);
    near.on('close', () => pairs.delete(pair));
    if (mode === 'stall') near.pause();
    else forward(pair);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
  const proxy: FaultProxy = {
    port: address.port,
    target,
    mode: () => mode,
    setMode(next): void {
      mode = next;
      if (next === 'refuse') proxy.cut();
      for (const pair of pairs) {
        if (next === 'stall') {
          pair.near.unpipe();
          pair.far?.unpipe();
          pair.near.pause();
          pair.far?.pause();
        } else if (next === 'pass') {
          if (pair.far === undefined) forward(pair);
          else {
            pair.near.pipe(pair.far);
            pair.far.pipe(pair.near);
          }
        }
      }
    },
    cut(): number {
      const open = pairs.size;
      for (const { near, far } of [...pairs]) {
        near.resetAndDestroy();
        far?.resetAndDestroy();
      }
      return open;
    },
    silence(): number {
      const open = pairs.size;
      for (const { near, far } of pairs) {
        near.unpipe();
        far?.unpipe();
        near.pause();
        far?.pause();
      }
      return open;
    },
    loseAnswers({ count: wanted, every = 1, to = COMMIT }): void {
      plan = { count: wanted, every, to };
      left = wanted;
    },
    answersLeft: () => left,
    connections: () => count,
    async close(): Promise<void> {
      proxy.cut();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return proxy;
}
