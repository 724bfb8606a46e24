/**
 * A receiver that stores nothing, as a process of its own, so that its memory is nobody else's: for the row
 * about slow senders.
 */
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../../src/alerts/receive/http-server.ts';
import type { Inbox } from '../../src/alerts/receive/inbox.ts';
import { receiverApp } from './servers.ts';

const inbox: Inbox = {
  store: () => Promise.resolve({ duplicate: false, quarantined: undefined }),
  noteStale: () => Promise.resolve(),
  pending: 0,
  close: () => Promise.resolve(),
};

const server = createHttpServer(receiverApp(inbox));
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('message', () => process.send?.(process.memoryUsage.rss()));
