/** What programs read of all organisations at once: of those that the caller may see. */
import type { RequestHandler } from 'express';
import { nowDate } from '../../../base/kernel/clock.ts';
import {
  readCountedOfMany,
  receiveSamplesOfMany,
  samplesOfMany,
} from '../../../books/insights/many-metrics.ts';
import { healthSamples, renderMetrics } from '../../../books/insights/metrics.ts';
import type { Auth } from '../auth.ts';
import type { InstallationOptions } from '../ports.ts';
import { sendJson } from '../reply.ts';
import type { Glance } from './glance.ts';
import { byNeed, readGlances } from './glance.ts';
import { theirOrganisations } from './their-organisations.ts';

type Callers = Pick<Auth, 'callerOf'>;

/** `GET /api/organisations`: what needs a person first. */
export function sendOrganisations(options: InstallationOptions, callers: Callers): RequestHandler {
  return async (request, response) => {
    const caller = callers.callerOf(request);
    const theirs = caller === undefined ? [] : await theirOrganisations(options, caller.who);
    const glances = await readGlances(options, theirs, nowDate(options.clock));
    sendJson(response, 200, { organisations: glances.toSorted(byNeed).map(answerOf) });
  };
}

function answerOf(glance: Glance): object {
  const { id, name, path, mode, role, figures, facts, ratios, health, needsPerson } = glance;
  return {
    id,
    name,
    path,
    mode,
    role,
    needs_person: needsPerson,
    open: figures.open,
    reviews: figures.reviews,
    next_act_at: figures.nextActAt?.toISOString() ?? null,
    nearest_deadline_at: figures.nearestDeadlineAt?.toISOString() ?? null,
    missed: figures.missed,
    refunds_stopped: facts.pause !== undefined,
    ratios: ratios.map(({ scheme, percent, headroom, line, measuredAt }) => ({
      scheme,
      percent,
      headroom,
      line,
      measured_at: measuredAt.toISOString(),
    })),
    health: health.map(({ name: part, status, detail }) => ({ part, status, detail })),
  };
}

/** `GET /metrics`. Each organisation's own metrics stand under its address, whole. */
export function serveMetrics(options: InstallationOptions, callers: Callers): RequestHandler {
  const { clock, receiveCounts, health } = options;
  return async (request, response) => {
    const caller = callers.callerOf(request);
    const theirs = caller === undefined ? [] : await theirOrganisations(options, caller.who);
    const now = nowDate(clock);
    const glances = await readGlances(options, theirs, now);
    const counts = receiveCounts?.() ?? new Map();
    const samples = [
      ...receiveSamplesOfMany(
        theirs.flatMap(({ id, path }) => {
          const own = counts.get(id);
          return own === undefined ? [] : [[path, own] as const];
        }),
      ),
      ...samplesOfMany(
        glances.map(({ path, ...glance }) => ({ ...glance, name: path })),
        now,
      ),
      ...(await readCountedOfMany(options.dbOf(theirs.map(({ id }) => id)), theirs, now)),
      ...healthSamples((await health()).parts),
    ];
    response.type('text/plain; version=0.0.4; charset=utf-8').send(renderMetrics(samples));
  };
}
