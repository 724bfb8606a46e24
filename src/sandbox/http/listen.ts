/** Listening, and stopping at once: whoever is connected to a sandbox has nothing to lose. */
import type { Server } from 'node:http';
import { ConfigError } from '../../base/kernel/errors.ts';

/** Answers the port it really listens on. @throws {ConfigError} when it is taken */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The sandbox cannot listen on ${host}:${port}. Choose another port.`;
      reject(new ConfigError(message, { cause }));
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

/** What listens everywhere is reached on this machine; IPv6 addresses stand in brackets. */
export function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
