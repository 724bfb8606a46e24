/**
 * The console of an installation of several organisations: one sign-in, one page of all of them, and behind it the
 * console of each under an address that begins with its name. Whoever has no right for an organisation is told of
 * nothing of it, in the words that stand for what does not exist.
 *
 * While the file names one organisation, that one's pages have the addresses of an installation of one.
 */
import type { Express, Request, RequestHandler, Response } from 'express';
import { ORGANISATIONS_PATH } from '../../../base/http/organisation-path.ts';
import { registerSignIn } from '../access/sign-in.ts';
import type { Auth, Caller } from '../auth.ts';
import { forPrograms } from '../auth.ts';
import { contextOf, createDoor } from '../console-app.ts';
import { isForPrograms } from '../in-time.ts';
import { registerInstallationOperators } from '../pages/installation-operators.ts';
import { registerOrganisations } from '../pages/organisations.ts';
import { registerWhichOrganisation } from '../pages/which-organisation.ts';
import { createPages } from '../pages.ts';
import type { InstallationOptions, ListedOrganisation } from '../ports.ts';
import { route } from '../reply.ts';
import type { PageContext } from '../visit.ts';
import { sendToSignIn } from '../visit.ts';
import { sendOrganisations, serveMetrics } from './for-programs.ts';
import type { OrganisationConsoles } from './organisation-consoles.ts';
import { createOrganisationConsoles } from './organisation-consoles.ts';
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
  const context = { ...contextOf(options), isForAll: true };
  const admitted: Front['admitted'] = new WeakMap();
  const callerOf = (request: Request): Caller | undefined => admitted.get(request);
  const auth: Auth = {
    ...context.auth,
    identify: (_request, _response, next) => next(),
    callerOf,
    forPrograms: forPrograms(callerOf),
  };
  const consoles = createOrganisationConsoles({ options, auth, assets: context.assets });
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

interface Arrival {
  readonly request: Request;
  readonly response: Response;
  readonly next: () => void;
}

async function enter(
  { context, consoles, admitted }: Front,
  organisation: ListedOrganisation | undefined,
  { request, response, next }: Arrival,
): Promise<void> {
  const caller = context.auth.callerOf(request);
  // Who is unknown is asked for a name before anything is told, also about what does not exist.
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
