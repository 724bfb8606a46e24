/** Guarantee: whoever starts a listener that cannot be opened learns which setting is wrong, and what to do. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { closeServer, listen } from '../../../src/base/http/listen.ts';

const setting = 'FORESTALL_METRICS_PORT';

it('a port that is taken is named, with its setting', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(listen(createServer(), { port, host: '127.0.0.1', setting })).rejects.toThrow(
    `Port ${port} is taken by another program. Set FORESTALL_METRICS_PORT to a free one.`,
  );
  await closeServer(other);
});

// 192.0.2.0/24 is for documentation: no machine has an address of it (RFC 5737).
it.each(['192.0.2.1', 'nowhere.invalid'])(
  'a host that is not ours is not blamed on the port: %s',
  async (host) => {
    await expect(listen(createServer(), { port: 0, host, setting })).rejects.toThrow(
      /^FORESTALL_METRICS_HOST names no address of this machine \((EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)\)\. Set it/,
    );
  },
);
