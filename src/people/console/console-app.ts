/**
 * The console as an Express application: pages for people, `/api` for programs, `/metrics` for
 * Prometheus. It listens on loopback unless the operator decides otherwise.
 *
 * Its pages run our own scripts only, load nothing from elsewhere, and hold no inline script or style;
 * what they show is never cached.
 */
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import express from 'express';
import helmet from 'helmet';
import { trustProxySetting } from '../../base/http/caller-address.ts';
import { nowDate } from '../../base/kernel/clock.ts';
import { ConfigError } from '../../base/kernel/errors.ts';
import { html } from '../../base/kernel/html.ts';
import { createId } from '../../base/kernel/ids.ts';
import type { Log } from '../../base/kernel/log.ts';
import { ALL_METRICS } from '../../capabilities/index.ts';
import { healthSamples, readMetrics, renderMetrics } from '../../health/metrics.ts';
import { readCapabilitySamples } from '../../running/roles/readiness.ts';
import { createRefusals } from '../../surface/access/refusals.ts';
import { registerSignIn } from '../../surface/access/sign-in.ts';
import { loadAssets } from '../../surface/view/assets.ts';
import { renderPlain } from '../../surface/view/shell.ts';
import { pathOfOrganisation } from '../../surface/web/addresses.ts';
import { createAuth } from '../../surface/web/auth.ts';
import type { Fault } from '../../surface/web/fault.ts';
import { RequestRefused } from '../../surface/web/fault.ts';
import { SENT_PATH } from '../../surface/web/form-id.ts';
import type { AnswerFault } from '../../surface/web/in-time.ts';
import {
  answerInTime,
  databaseFault,
  isDatabaseFailure,
  refuseWithoutDatabase,
} from '../../surface/web/in-time.ts';
import type { ConsoleOptions, DoorOptions } from '../../surface/web/ports.ts';
import { NOT_FOUND, route, sendFault, sendJson } from '../../surface/web/reply.ts';
import { formIdOf } from '../../surface/web/sent-form.ts';
import type { PageContext } from '../../surface/web/visit.ts';
import { localPath, sendHtml } from '../../surface/web/visit.ts';
import { createApiRouter } from './api.ts';
import { needsOfCall } from './api-needs.ts';
import { MENU } from './menu.ts';
import { readMerchantNames } from './merchant-names.ts';
import { ofMonth } from './page-parts.ts';
import { createPages, ORGANISATION_PAGES } from './pages.ts';

/** Shortest token that is accepted, in characters. */
const TOKEN_LENGTH_MIN = 16;

/** @throws {ConfigError} when the token is too short to keep anybody out, or the proxies cannot be meant */
export function createConsoleApp(options: ConsoleOptions): Express {
  const context = contextOf(options, MENU);
  return createDoor(context, (app) => {
    mountOrganisation(app, context);
    app.use(createPages(context, [registerSignIn, ...ORGANISATION_PAGES]));
  });
}

/**
 * What all pages of a console share.
 *
 * @throws {ConfigError} when the token is too short to keep anybody out
 */
export function contextOf<Options extends DoorOptions>(
  options: Options,
  menu: PageContext['menu'],
): PageContext<Options> {
  if (options.token.length < TOKEN_LENGTH_MIN) {
    throw new ConfigError(
      `FORESTALL_CONSOLE_TOKEN must have at least ${TOKEN_LENGTH_MIN} characters.`,
    );
  }
  const refusals = createRefusals(options);
  const auth = createAuth({
    ...options,
    refusals,
    needsOfCall,
    get token(): string {
      return options.token;
    },
    secureCookies: options.secureCookies === true,
  });
  const { oidc } = options;
  return {
    options,
    auth,
    assets: loadAssets(),
    menu,
    oidc,
    refusals,
    merchantNames: readMerchantNames,
    ofMonth,
  };
}

/** What everybody passes who comes to a console: who they are, and that they are answered in time. */
export function createDoor(
  context: PageContext<DoorOptions>,
  mount: (app: Express) => void,
): Express {
  const { options, auth, assets } = context;
  const { health } = options;
  const app = createApp(options);
  app.use(securityHeaders(options.secureCookies === true));
  route(app, '/healthz', {
    get: async (_request, response) => {
      // Anyone who is not signed in learns no more than this.
      const { ok } = await health();
      sendJson(response, ok ? 200 : 503, { ok });
    },
  });
  app.use(assets.serve);
  const answerFault = createFaultAnswer(context);
  app.use(answerInTime(health, answerFault));
  app.use(refuseWithoutDatabase(health, answerFault));
  app.use(auth.identify);
  mount(app);
  return endWithFaults(app, context);
}

/** The pages and the API of one of several organisations; who comes has passed the door and may see it. */
export function createOrganisationApp(context: PageContext): Express {
  const app = createApp(context.options);
  mountOrganisation(app, context);
  app.use(createPages(context, ORGANISATION_PAGES));
  return endWithFaults(app, context);
}

function createApp({ trustedProxies }: DoorOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustProxySetting(trustedProxies));
  return app;
}

function mountOrganisation(app: Express, context: PageContext): void {
  const { options, auth } = context;
  app.use('/api', auth.forPrograms);
  route(app, '/api/openapi.json', {
    get: async (request, response) => {
      // Loaded by anyone who asks: no other request needs it.
      const { apiDocument } = await import('./openapi/document.ts');
      const { protocol, baseUrl } = request;
      sendJson(response, 200, apiDocument(`${protocol}://${request.get('host')}${baseUrl}`));
    },
  });
  if (options.orderRoutes !== undefined) app.use('/api/orders', options.orderRoutes);
  app.use('/api', createApiRouter(options, auth));
  app.use('/metrics', auth.forPrograms);
  route(app, '/metrics', { get: metricsHandler(options) });
}

function endWithFaults(app: Express, context: PageContext<DoorOptions>): Express {
  const answerFault = createFaultAnswer(context);
  app.use((request, response) => answerFault(request, response, { status: 404, ...NOT_FOUND }));
  app.use(createErrorHandler(context.options.log, answerFault));
  return app;
}

function securityHeaders(secureCookies: boolean): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          styleSrc: ["'self'"],
          connectSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
          formAction: ["'self'"],
          baseUri: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      frameguard: { action: 'deny' },
      // `no-referrer` would make browsers send `Origin: null` with our own forms.
      referrerPolicy: { policy: 'same-origin' },
      strictTransportSecurity: secureCookies,
    }),
    (_request, response, next): void => {
      response.set('cache-control', 'no-store');
      next();
    },
  ];
}

function metricsHandler(options: ConsoleOptions): RequestHandler {
  const { db, clock, organisationId, receiveCounts, feedBacklog, health } = options;
  return async (_request, response) => {
    const now = nowDate(clock);
    const samples = [
      ...(await readMetrics({ db, organisationId, now, receiveCounts, feedBacklog })),
      ...(await readCapabilitySamples(db, { organisationId, now })),
      ...healthSamples((await health()).parts),
    ];
    response
      .type('text/plain; version=0.0.4; charset=utf-8')
      .send(renderMetrics(samples, ALL_METRICS));
  };
}

const FAULT_TITLES: Readonly<Record<number, string>> = {
  404: 'There is nothing here',
  400: 'Not accepted',
  500: 'Something failed here',
  503: 'The console cannot work now',
};

/** Programs get JSON, people a page. */
function createFaultAnswer({ assets, options }: PageContext<DoorOptions>): AnswerFault {
  return (request, response, { status, ...fault }) => {
    if (
      pathOfOrganisation(request.path).startsWith('/api') ||
      request.accepts(['json', 'html']) === 'json'
    ) {
      return sendFault(response, status, fault);
    }
    const title = FAULT_TITLES[status] ?? `Error ${status}`;
    const again = status === 503 ? nextOf(request) : undefined;
    const body = html`<h1>${title}</h1><p>${fault.message}</p><p>${again === undefined ? html`<a href="/">To today's page</a>` : html`<a href="${localPath(again.path)}">${again.words}</a>`}</p>`;
    const frame = { assets, now: nowDate(options.clock) };
    sendHtml(response, status, renderPlain(frame, { title, body }));
  };
}

/** What a person does next who got no answer in time. */
function nextOf(request: Request): { readonly path: string; readonly words: string } | undefined {
  if (request.method === 'GET') return { path: request.originalUrl, words: 'Try again' };
  const id = formIdOf(request);
  if (id === undefined) return undefined;
  const [base = ''] = /^\/organisations\/[^/]+/.exec(request.originalUrl) ?? [];
  return { path: `${base}${SENT_PATH}/${id}`, words: 'Look whether it was carried out' };
}

/** What body-parser and Express report about a request, by status. */
const REQUEST_FAULTS: Readonly<Record<number, Fault>> = {
  400: { code: 'INVALID_REQUEST', message: 'The request cannot be read. Send valid JSON.' },
  413: { code: 'TOO_LARGE', message: 'The request is too large.' },
  415: { code: 'UNSUPPORTED', message: 'Send plain UTF-8 JSON without content encoding.' },
};

// Express's own handler would answer with HTML and print the whole error, the body included.
function createErrorHandler(log: Log, answerFault: AnswerFault): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    // It took too long and has been answered.
    if (response.writableEnded) return;
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof RequestRefused) {
      answerFault(request, response, { status: error.status, ...error.fault });
      return;
    }
    const status = statusOf(error);
    const known = status === undefined ? undefined : REQUEST_FAULTS[status];
    if (status !== undefined && known !== undefined) {
      answerFault(request, response, { status, ...known });
      return;
    }
    if (isDatabaseFailure(error)) {
      log.warn({ err: error }, 'the database left a console request unanswered');
      answerFault(request, response, databaseFault(request, 'failed'));
      return;
    }
    const id = createId('err');
    log.error({ err: error, id }, 'console request failed');
    const message = `Something failed here. The log says what, under ${id}.`;
    answerFault(request, response, { status: 500, code: 'INTERNAL', message });
  };
}

/** The status of an error that Express or its body parser raised about the request. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error && 'status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status < 500 ? status : undefined;
}
