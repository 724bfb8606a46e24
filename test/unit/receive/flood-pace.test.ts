/** Guarantee: an organisation is paced only for a flood of deliveries beside others' deliveries. */
import { expect, test } from 'vitest';
import type { OwnPace } from '../../../src/alerts/receive/flood-pace.ts';
import { createFloodPace } from '../../../src/alerts/receive/flood-pace.ts';

function shared() {
  const time = { ms: 0 };
  const pace = createFloodPace({ nowMs: () => time.ms });
  return { time, flooded: pace.join(), other: pace.join() };
}

function deliver(to: OwnPace, count: number): void {
  for (let place = 0; place < count; place++) to.arrived();
}

test('a flood is what goes beyond 50 at once, while another organisation has deliveries', () => {
  const { flooded, other } = shared();
  other.arrived();
  deliver(flooded, 50);
  expect(flooded.isFlood()).toBe(false);
  flooded.arrived();
  expect(flooded.isFlood()).toBe(true);
  expect(other.isFlood()).toBe(false);
});

test('50 in each second are no flood, and 60 are', () => {
  const { time, flooded, other } = shared();
  const deliverFor = (seconds: number, perSecond: number): void => {
    for (let place = 0; place < seconds * perSecond; place++) {
      time.ms += 1_000 / perSecond;
      other.arrived();
      flooded.arrived();
    }
  };
  deliverFor(20, 50);
  expect(flooded.isFlood()).toBe(false);
  deliverFor(20, 60);
  expect(flooded.isFlood()).toBe(true);
});

test('who delivers alone is not paced, and is paced from the moment on in which another comes', () => {
  const { flooded, other } = shared();
  deliver(flooded, 500);
  expect(flooded.isFlood()).toBe(false);
  other.arrived();
  expect(flooded.isFlood()).toBe(true);
  flooded.arrived();
  expect(flooded.isFlood()).toBe(true);
});

test('it ends ten seconds after the last delivery of another', () => {
  const { time, flooded, other } = shared();
  other.arrived();
  deliver(flooded, 1_000);
  time.ms = 9_999;
  expect(flooded.isFlood()).toBe(true);
  time.ms = 10_000;
  expect(flooded.isFlood()).toBe(false);
});

test('of two floods each is paced for the other', () => {
  const { flooded, other } = shared();
  for (const each of [flooded, other]) deliver(each, 100);
  expect([flooded.isFlood(), other.isFlood()]).toEqual([true, true]);
});

test('a flood is over a second after its last delivery', () => {
  const { time, flooded, other } = shared();
  other.arrived();
  deliver(flooded, 10_000);
  time.ms = 999;
  flooded.arrived();
  expect(flooded.isFlood()).toBe(true);
  time.ms = 2_100;
  flooded.arrived();
  expect(flooded.isFlood()).toBe(false);
});

test('a clock that is set back makes no flood', () => {
  const { time, flooded, other } = shared();
  time.ms = 3_600_000;
  deliver(flooded, 2);
  time.ms = 0;
  other.arrived();
  flooded.arrived();
  expect(flooded.isFlood()).toBe(false);
});
