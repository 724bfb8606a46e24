/**
 * The console of an installation of several organisations: one sign-in, one page of all of them, and behind it the
 * console of each under an address that begins with its name. Anyone who has no right for an organisation is told of
 * nothing of it, in the words that are used for what does not exist.
 *
 * While the file names one organisation, that one's pages have the addresses of an installation of one.
 */

import type { Express, Request, RequestHandler, Response } from 'express';
import { readTogether } from '../../../base/db/read-together.ts';
import { ORGANISATIONS_PATH } from '../../../base/http/organisation-path.ts';
import { nowDate } from '../../../base/kernel/clock.ts';
import { ALL_METRICS, COUNTED_BY_LABEL } from '../../../capabilities/index.ts';
import {
  installationReceiveSamples,
  installationSamples,
  readInstallationCounts,
} from '../../../health/installation-metrics.ts';
import { healthSamples, renderMetrics } from '../../../health/metrics.ts';
import type { Refusals } from '../../../surface/access/refusals.ts';
import { registerSignIn } from '../../../surface/access/sign-in.ts';
import type { Assets } from '../../../surface/view/assets.ts';
import type { Auth, Caller } from '../../../surface/web/auth.ts';
import { forPrograms } from '../../../surface/web/auth.ts';
import { isForPrograms } from '../../../surface/web/in-time.ts';
import type {
  InstallationOptions,
  ListedOrganisation,
  OpenConsole,
} from '../../../surface/web/ports.ts';
import { route, sendJson } from '../../../surface/web/reply.ts';
import type { PageContext } from '../../../surface/web/visit.ts';
import { sendToSignIn } from '../../../surface/web/visit.ts';
import { needsOfCall } from '../api-needs.ts';
import { contextOf, createDoor, createOrganisationApp } from '../console-app.ts';
import { MENU, MENU_OF_ALL } from '../menu.ts';
import { readMerchantNames } from '../merchant-names.ts';
import { ofMonth } from '../page-parts.ts';
import { registerInstallationOperators } from '../pages/installation-operators.ts';
import { registerOrganisations } from '../pages/organisations.ts';
import { registerSent } from '../pages/sent.ts';
import { registerWhichOrganisation } from '../pages/which-organisation.ts';
import { createPages } from '../pages.ts';
import type { OrganisationSummary } from './organisation-summary.ts';
import { byNeed, readColumns, readSummaries } from './organisation-summary.ts';
import { theirOrganisations } from './their-organisations.ts';

/** Organisations that the header of a page leads to; the page of all has every one. */
const SWITCHED_TO_MAX = 12;

/** The console, and what closes the parts that it opened. */
export interface InstallationConsole {
  readonly app: Express;
  close(): Promise<void>;
}

interface Front {
  readonly context: PageContext<InstallationOptions>;
  readonly consoles: OrganisationConsoles;
  /** Who sent a request, with their role in the organisation that it is about. */
  readonly admitted: WeakMap<Request, Caller>;
}

/** @throws {ConfigError} when the token is too short to keep anybody out, or the proxies cannot be meant */
export function createInstallationConsole(options: InstallationOptions): InstallationConsole {
  const context = { ...contextOf(options, MENU_OF_ALL), isForAll: true };
  const admitted: Front['admitted'] = new WeakMap();
  const callerOf = (request: Request): Caller | undefined => admitted.get(request);
  const auth: Auth = {
    ...context.auth,
    identify: (_request, _response, next) => next(),
    callerOf,
    forPrograms: forPrograms(callerOf, { clock: options.clock, needsOfCall }),
  };
  const { assets, refusals } = context;
  const consoles = createOrganisationConsoles({ options, auth, assets, refusals });
  const front: Front = { context, consoles, admitted };
  const app = createDoor(context, (door) => mountFront(door, front));
  return { app, close: () => consoles.close() };
}

function mountFront(door: Express, front: Front): void {
  const { context } = front;
  const { options, auth } = context;
  door.use(createPages(context, [registerSignIn]));
  door.use(`${ORGANISATIONS_PATH}/:organisation`, ofOrganisation(front));
  door.use(asTheOnlyOne(front));
  door.use('/api', auth.forPrograms);
  route(door, '/api/organisations', { get: sendOrganisations(options, auth) });
  door.use('/metrics', auth.forPrograms);
  route(door, '/metrics', { get: serveMetrics(options, auth) });
  door.use(
    createPages(context, [
      registerOrganisations,
      registerInstallationOperators,
      registerSent,
      registerWhichOrganisation,
    ]),
  );
}

/** What is of one organisation, for those who may see it. */
function ofOrganisation(front: Front): RequestHandler {
  const { options } = front.context;
  return async (request, response, next) => {
    const name = request.params['organisation'];
    const organisation = options
      .organisations()
      .find(({ id, path }) => name === path || name === id);
    await enter(front, organisation, { request, response, next });
  };
}

/** An installation whose file names one organisation has the addresses of an installation of one. */
function asTheOnlyOne(front: Front): RequestHandler {
  const { options } = front.context;
  return async (request, response, next) => {
    const [only, ...others] = options.organisations();
    if (only === undefined || others.length > 0) next();
    else await enter(front, only, { request, response, next });
  };
}

async function enter(
  { context, consoles, admitted }: Front,
  organisation: ListedOrganisation | undefined,
  { request, response, next }: { request: Request; response: Response; next: () => void },
): Promise<void> {
  const caller = context.auth.callerOf(request);
  // A caller without a name is asked for one before anything is answered, also about what does not exist.
  if (caller === undefined) {
    if (isForPrograms(request)) context.auth.forPrograms(request, response, next);
    else sendToSignIn(context, request, response);
    return;
  }
  const theirs = await theirOrganisations(context.options, caller.who);
  const here = theirs.find(({ id }) => id === organisation?.id);
  if (organisation === undefined || here === undefined) {
    next();
    return;
  }
  const elsewhere = theirs.filter((each) => each !== here).slice(0, SWITCHED_TO_MAX);
  admitted.set(request, { ...caller, who: { ...caller.who, role: here.role, elsewhere } });
  const app = await consoles.of(organisation);
  app(request, response, next);
}

/** Consoles open at once; the one that was used longest ago is closed for another. */
const OPEN_MAX = 100;

interface Surroundings {
  readonly options: InstallationOptions;
  readonly auth: Auth;
  readonly assets: Assets;
  readonly refusals: Refusals;
}

interface Kept {
  readonly mark: string;
  readonly opened: Promise<{ readonly app: Express; readonly console: OpenConsole }>;
}

interface OrganisationConsoles {
  of(organisation: ListedOrganisation): Promise<Express>;
  close(): Promise<void>;
}

/** Opened when somebody first comes, and only so many kept: most of a thousand organisations are looked at rarely. */
function createOrganisationConsoles({
  options,
  auth,
  assets,
  refusals,
}: Surroundings): OrganisationConsoles {
  /** In the order of their last use. */
  const kept = new Map<string, Kept>();
  const open = async (organisation: ListedOrganisation): ReturnType<() => Kept['opened']> => {
    const console = await options.open(organisation);
    const context = {
      options: console.options,
      auth,
      assets,
      menu: MENU,
      refusals,
      oidc: options.oidc,
      merchantNames: readMerchantNames,
      ofMonth,
    };
    return { app: createOrganisationApp(context), console };
  };
  const drop = async (id: string): Promise<void> => {
    const gone = kept.get(id);
    kept.delete(id);
    // One that could not be opened holds nothing.
    const opened = await gone?.opened.catch(() => undefined);
    await opened?.console.close();
  };
  return {
    async of(organisation): Promise<Express> {
      const { id } = organisation;
      const mark = JSON.stringify(organisation);
      const known = kept.get(id);
      if (known !== undefined && known.mark !== mark) await drop(id);
      const use = kept.get(id) ?? { mark, opened: open(organisation) };
      kept.delete(id);
      kept.set(id, use);
      const [oldest] = kept.keys();
      if (kept.size > OPEN_MAX && oldest !== undefined) await drop(oldest);
      try {
        return (await use.opened).app;
      } catch (error) {
        kept.delete(id);
        throw error;
      }
    },
    async close(): Promise<void> {
      for (const id of [...kept.keys()]) await drop(id);
    },
  };
}

type Callers = Pick<Auth, 'callerOf'>;

/** `GET /api/organisations`: what needs a person first. */
function sendOrganisations(options: InstallationOptions, callers: Callers): RequestHandler {
  return async (request, response) => {
    const caller = callers.callerOf(request);
    const theirs = caller === undefined ? [] : await theirOrganisations(options, caller.who);
    const summaries = await readSummaries(options, theirs, nowDate(options.clock));
    const known = await readColumns(
      options,
      theirs.map(({ id }) => id),
    );
    const answers = summaries.toSorted(byNeed).map((each) => answerOf(each, known.json(each.id)));
    sendJson(response, 200, { organisations: answers });
  };
}

function answerOf(summary: OrganisationSummary, ofCapabilities: object): object {
  const { id, name, path, mode, role, figures, facts, health, needsPerson } = summary;
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
    ...ofCapabilities,
    health: health.map(({ name: part, status, detail }) => ({ part, status, detail })),
  };
}

/** `GET /metrics`. Each organisation's own metrics are under its address, whole. */
function serveMetrics(options: InstallationOptions, callers: Callers): RequestHandler {
  const { clock, receiveCounts, health } = options;
  return async (request, response) => {
    const caller = callers.callerOf(request);
    const theirs = caller === undefined ? [] : await theirOrganisations(options, caller.who);
    const now = nowDate(clock);
    const { summaries, counted } = await readTogether(
      options.dbOf(theirs.map(({ id }) => id)),
      async (trx) => ({
        summaries: await readSummaries({ ...options, dbOf: () => trx }, theirs, now),
        counted: await readInstallationCounts(trx, theirs, { now, besides: COUNTED_BY_LABEL }),
      }),
    );
    const counts = receiveCounts?.() ?? new Map();
    const samples = [
      ...installationReceiveSamples(
        theirs.flatMap(({ id, path }) => {
          const own = counts.get(id);
          return own === undefined ? [] : [[path, own] as const];
        }),
      ),
      ...installationSamples(
        summaries.map(({ path, ...summary }) => ({ ...summary, name: path })),
        now,
      ),
      ...counted,
      ...healthSamples((await health()).parts),
    ];
    response
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(renderMetrics(samples, ALL_METRICS));
  };
}
