/** The session as a whole: how much there is, saving it as a story or a snapshot, starting over. */
import type { Html } from '../../../base/kernel/html.ts';
import { html } from '../../../base/kernel/html.ts';
import { countAll } from '../../control/count-all.ts';
import { form } from '../forms.ts';
import type { View, Visit } from '../layout.ts';
import { facts, section } from '../pieces.ts';

export const sessionView: View = {
  path: '/sandbox/page/session',
  title: 'Session',
  render: (visit) => html`${section('What it holds', counts(visit), { live: true })}
${section('Save it', SAVE)}
${section('Start over', reset(visit))}`,
};

function counts({ context }: Visit): Html {
  return facts(
    Object.entries(countAll(context.state)).map(([name, count]) => [
      name.replaceAll('_', ' '),
      String(count),
    ]),
  );
}

const SAVE = html`<ul class="plain">
<li><a href="/sandbox/recording">Everything since the start or the last reset, as a scenario file</a>:
calls, time, events, deliveries. It runs as a test:
<code>forestall sandbox --scenario recorded.yaml --once</code>. What a program did in code, as the demonstration of
<code>forestall start</code> does, is not in it.</li>
<li><a href="/sandbox/snapshot" download="snapshot.json">What the sandbox knows, as a snapshot</a>, to continue
from later: <code>forestall sandbox --snapshot snapshot.json</code></li>
</ul>`;

function reset({ here }: Visit): Html {
  return html`<p>The time stays, and so do the accounts with their ids, keys and secrets, and what the sandbox was started
with. Everything else is forgotten: alerts, orders, payments, what a seed file brought, faults, logs.</p>
<details class="fold" id="reset"><summary>Reset the sandbox</summary>${form(here, {
    call: 'POST /sandbox/reset',
    button: 'Forget everything',
    done: 'The sandbox starts over.',
    tone: 'danger',
  })}</details>`;
}
