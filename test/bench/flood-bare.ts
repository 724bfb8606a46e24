/**
 * The least that a receiver of the flood does, in a process and a database of its own: it reads a delivery, stores it
 * together with those that arrived meanwhile, and answers. What a flood into this one costs an installation beside it
 * is the machine's: processors, disk and PostgreSQL. Sends its port to the parent.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';

const [, , connectionString] = process.argv;
const pool = new pg.Pool({ connectionString, max: 2 });
await pool.query('create table delivery (body text not null)');
let waiting: { readonly body: string; readonly done: () => void }[] = [];
let flushing = 0;

async function flush(): Promise<void> {
  if (waiting.length === 0 || flushing === 2) return;
  const taken = waiting;
  waiting = [];
  flushing += 1;
  await pool.query('insert into delivery select unnest($1::text[])', [
    taken.map(({ body }) => body),
  ]);
  flushing -= 1;
  for (const { done } of taken) done();
  await flush();
}

const server = createServer((request, response) => {
  void text(request).then((body) => {
    waiting.push({ body, done: () => response.end() });
    return flush();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
