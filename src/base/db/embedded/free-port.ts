/** A port of 127.0.0.1 that nothing listens on, for a process that must be told its own. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give out by themselves (from 32768 on Linux): no connection or listener
 * that any process opens between the choice and the use takes one of these.
 */
const FROM = 15_000;
const TO = 32_000;

/** @throws what `listen` says, unless it is that the port is taken */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  await new Promise((done) => server.close(done));
  return true;
}
