/** Guarantee: the platform bench compares organisations by their own medians, and leaves the one that floods out. */
import { expect, it } from 'vitest';
import { figuresOf, quantile } from './platform-figures.ts';
import type { PlatformDelivery } from './platform-sender.ts';

const delivery = (organisation: number, own: number, isAlert = true): PlatformDelivery => ({
  id: `${organisation}/${own}`,
  organisation,
  isAlert,
  sentMs: 1_000 * own,
  answeredMs: 1_000 * own + 10 * (own + 1),
});

it('says how long each organisation waited, and what an answer cost', () => {
  const sent = [0, 1, 2, 3].flatMap((organisation) =>
    [0, 1, 2].map((own) => delivery(organisation, own)),
  );
  // The flooded one waits for ever so long; of the others number 3 waits twice as long as the middle one.
  const waits = [90_000, 1_000, 2_000, 4_000];
  const closedMs = new Map(
    sent.map(({ id, organisation, sentMs }) => [id, sentMs + (waits[organisation] ?? 0)]),
  );
  const minute = { sent: [...sent, delivery(1, 5, false)], closedMs };
  const figures = figuresOf(
    { ...minute, forestallCpuSeconds: 0.6, postgresCpuSeconds: 0.3 },
    0,
    24,
  );
  expect(figures).toMatchObject({
    alerts: 9,
    answered: 9,
    forestallMsEach: 25,
    postgresMsEach: 12.5,
    medianOrganisationMs: 2_000,
    slowestOrganisationMs: 4_000,
    slowestToMedian: 2,
    webhookP99Ms: 60,
  });
  // Nine from 0 s to 6 s.
  expect(figures.answeredPerMinute).toBeCloseTo(90, 6);
});

it('counts an alert that was not answered as such', () => {
  const sent = [delivery(1, 0), delivery(1, 1)];
  const minute = { sent, closedMs: new Map([['1/0', 500]]) };
  const figures = figuresOf({ ...minute, forestallCpuSeconds: 1, postgresCpuSeconds: 1 }, 0, 1);
  expect([figures.alerts, figures.answered]).toEqual([2, 1]);
});

it('takes the middle, and the last of few', () => {
  expect([quantile([3, 1, 2], 0.5), quantile([1, 2], 0.99)]).toEqual([2, 2]);
});
