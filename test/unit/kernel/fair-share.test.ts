/**
 * Guarantee: however long one organisation's list is, another's next one is served as soon as something comes back; no
 * organisation holds more than half; and nothing is handed out twice or lost.
 */
import { expect, test } from 'vitest';
import { createFairShare } from '../../../src/base/db/fair-share.ts';

/** Lets what has been granted arrive. */
const arrive = (): Promise<void> => new Promise((done) => setImmediate(done));

test('an organisation with 10,000 in its list delays nobody else’s next one', async () => {
  const share = createFairShare(10);
  const served: string[] = [];
  const held: (() => void)[] = [];
  const ask = (owner: string): void =>
    void share.take(owner).then((giveBack) => {
      served.push(owner);
      held.push(giveBack);
    });
  for (let index = 0; index < 10_000; index++) ask('busy');
  await arrive();
  // Half of the ten, although nobody else wants any.
  expect(served).toHaveLength(5);
  for (const owner of ['a', 'b', 'c', 'd', 'e']) ask(owner);
  await arrive();
  expect(served.slice(5)).toEqual(['a', 'b', 'c', 'd', 'e']);
  // All ten are out: the next that comes back goes to whose turn it is.
  ask('f');
  ask('g');
  await arrive();
  expect(served).toHaveLength(10);
  for (let returned = 0; returned < 3; returned++) {
    held.shift()?.();
    await arrive();
  }
  expect(served.slice(10)).toEqual(['busy', 'f', 'g']);
});

test('everyone is served in the end, and what is given back twice counts once', async () => {
  const share = createFairShare(3);
  const served: string[] = [];
  let most = 0;
  let out = 0;
  const use = async (owner: string): Promise<void> => {
    const giveBack = await share.take(owner);
    most = Math.max(most, ++out);
    await arrive();
    served.push(owner);
    out -= 1;
    giveBack();
    giveBack();
  };
  const owners = Array.from({ length: 60 }, (_, index) => `org_${index % 4}`);
  await Promise.all(owners.map(use));
  expect(served.toSorted()).toEqual(owners.toSorted());
  expect(most).toBe(3);
});

test('a share of one is not cut in half', async () => {
  const share = createFairShare(1);
  const giveBack = await share.take('a');
  const next = share.take('a');
  giveBack();
  expect(await next).toBeTypeOf('function');
});
