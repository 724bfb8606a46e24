/** A program that has nothing to do with Forestall: reads the bodies that are sent to it, and looks at none. Sends its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(413).end());
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
