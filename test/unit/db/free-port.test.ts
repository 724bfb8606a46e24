/** Guarantee: a port that a process is told of is none that the system gives to somebody else before the process listens. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../src/base/db/embedded/free-port.ts';

/** The first port that Linux gives out by itself; elsewhere that of IANA. */
function firstOfTheSystem(): number {
  if (process.platform !== 'linux') return 49_152;
  return Number(
    readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').trim().split(/\s+/)[0],
  );
}

it('lies below those of the system, and can be listened on', async () => {
  for (let round = 0; round < 50; round++) {
    const port = await freePort();
    expect(port).toBeGreaterThan(1_023);
    expect(port).toBeLessThan(firstOfTheSystem());
    const server = createServer();
    await once(server.listen(port), 'listening');
    await new Promise((done) => server.close(done));
  }
});
