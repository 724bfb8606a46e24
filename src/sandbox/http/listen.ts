/** Listening, and stopping at once: anyone who is connected to a sandbox has nothing to lose. */
import type { Server } from 'node:http';
import { ConfigError, codeOf } from '../../base/kernel/errors.ts';

/** Why it cannot listen, and what to do. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has the port. Choose another one (--port); 0 takes a free one.',
  EACCES: 'this user may not open the port. Choose one from 1024 up (--port).',
  EADDRNOTAVAIL:
    'this machine has no such address. Correct the host (--host); 0.0.0.0 is every one it has.',
  ENOTFOUND:
    'nobody knows this name. Correct the host (--host); 0.0.0.0 is every address of this machine.',
};

/** Answers the port it really listens on. @throws {ConfigError} when it cannot listen there */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const why =
        REASONS[codeOf(cause) ?? ''] ?? `${codeOf(cause)}. Check host and port (--host, --port).`;
      reject(new ConfigError(`The sandbox cannot listen on ${host}:${port}: ${why}`, { cause }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Ends every connection. */
export async function closeAtOnce(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

/** What listens everywhere is reached on this machine; IPv6 addresses are in brackets. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
