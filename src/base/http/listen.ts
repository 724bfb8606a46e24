/** Opens a listener and says clearly when its port is taken. */
import type { Server } from 'node:http';
import { ConfigError } from '../kernel/errors.ts';

/** Where a listener goes. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  /** The setting that names the port, for the error message. */
  readonly setting: string;
  /** Take the next free port, or any, when this one is taken: where none was named. @default false */
  readonly orNextFree?: boolean;
}

/** The private port of `serve` and `work` where none is named. */
export const METRICS_PORT = 8083;

/** How many ports are tried when the wanted one is taken. */
const TRIES_MAX = 20;

/**
 * Listens, and returns the port in use.
 *
 * @throws {ConfigError} when the port is taken or may not be opened
 */
export async function listen(server: Server, options: ListenOptions): Promise<number> {
  const tries = options.orNextFree === true ? TRIES_MAX : 1;
  for (let offset = 0; offset < tries; offset++) {
    const port = options.port === 0 ? 0 : options.port + offset;
    if (await tryListen(server, port, options)) return portOf(server);
  }
  if (options.orNextFree === true && (await tryListen(server, 0, options))) return portOf(server);
  throw new ConfigError(
    `Port ${options.port} is taken by another program. Set ${options.setting} to a free one.`,
  );
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Codes of a host that is not this machine's; every other one is about the port. */
const ABOUT_HOST: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN']);

/** Which setting is wrong, and what to do. */
function refusal(
  code = 'no reason',
  { port, setting }: Pick<ListenOptions, 'port' | 'setting'>,
): string {
  if (ABOUT_HOST.has(code)) {
    return `${setting.replace(/PORT$/, 'HOST')} names no address of this machine (${code}). Set it to one that it has, or to 0.0.0.0 for all of them.`;
  }
  return code === 'EACCES'
    ? `This user may not open port ${port} (EACCES). Set ${setting} to one from 1024 up, or give the user the right.`
    : `Port ${port} cannot be opened (${code}). Check ${setting}.`;
}

async function tryListen(
  server: Server,
  port: number,
  { host, setting }: ListenOptions,
): Promise<boolean> {
  return await new Promise<boolean>((done, fail) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.removeListener('listening', onListening);
      if (error.code === 'EADDRINUSE') done(false);
      else fail(new ConfigError(refusal(error.code, { port, setting }), { cause: error }));
    };
    const onListening = (): void => {
      server.removeListener('error', onError);
      done(true);
    };
    server.once('error', onError);
    server.once('listening', onListening);
    server.listen(port, host);
  });
}

/** Stops accepting, lets answers under way finish for a while, then closes what is left. */
export async function closeServer(server: Server, graceMs = 5_000): Promise<void> {
  await new Promise<void>((done) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      done();
    });
    server.closeIdleConnections();
  });
}
