/**
 * The sandbox's pages: what it holds, what it sent, what it was asked, and a button for everything the
 * control surface does.
 */
import { readPackageFile } from '../../base/kernel/package-file.ts';
import { control } from '../control/control-endpoint.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { RequestLog } from '../request-log.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { doEndpoint } from './do.ts';
import type { View } from './layout.ts';
import { renderPage } from './layout.ts';
import { createMessages } from './messages.ts';
import { alertsView } from './views/alerts.ts';
import { chargesView } from './views/charges.ts';
import { networksView } from './views/networks.ts';
import { requestsView } from './views/requests.ts';
import { sessionView, startView } from './views/start.ts';
import { webhooksView } from './views/webhooks.ts';

export interface PageParts {
  readonly requestLog: RequestLog;
  readonly recorder: Recorder;
  /** The control surface, for the forms. */
  readonly endpoints: readonly Endpoint[];
}

/** The pages, their style sheet and script, and what their forms are sent to. */
export function pageEndpoints(context: SandboxContext, parts: PageParts): readonly Endpoint[] {
  const messages = createMessages();
  const views: readonly View[] = [
    startView,
    alertsView,
    webhooksView,
    requestsView(parts.requestLog),
    chargesView,
    networksView,
    sessionView,
  ];
  return [
    control('GET', '/', () => ({ status: 302, headers: { Location: '/sandbox' } })),
    ...views.map((view) =>
      control('GET', view.path, (incoming) => {
        const origin = `http://${incoming.header('host') ?? ''}`;
        const message = messages.take(incoming.query['said']);
        return renderPage(view, { context, here: view.path, origin }, { views, message });
      }),
    ),
    asset('page.css', ['page.css', 'pieces.css']),
    asset('page.js', ['page.js']),
    doEndpoint({ ...parts, messages }),
  ];
}

function asset(name: 'page.css' | 'page.js', parts: readonly string[]): Endpoint {
  const texts = parts.map((part) => readPackageFile(new URL(`./assets/${part}`, import.meta.url)));
  return control('GET', `/sandbox/page/${name}`, () => ({
    status: 200,
    contentType: name.slice('page.'.length),
    // Asked for again each time: the next version must not meet yesterday's script.
    headers: { 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' },
    body: texts.join(''),
  }));
}
