/**
 * A receiver in place of the merchant’s, for a story with deliveries that is told without one: it
 * answers each event as the story says the receiver did.
 */
import { createServer } from 'node:http';
import getRawBody from 'raw-body';
import { closeAtOnce, listen } from '../http/listen.ts';
import type { DeliveriesStep, Scenario } from './scenario.ts';

export interface ScenarioReceiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on a free port of this machine. */
export async function startScenarioReceiver(scenario: Scenario): Promise<ScenarioReceiver> {
  const answers = answersByEvent(scenario);
  const server = createServer(async (request, response) => {
    const body = await getRawBody(request).catch(() => Buffer.alloc(0));
    const answer = answers.get(typeOf(body))?.shift() ?? 200;
    if (answer === 'none') request.socket.destroy();
    else response.writeHead(answer).end();
  });
  const port = await listen(server, 0, '127.0.0.1');
  return { url: `http://127.0.0.1:${port}/webhooks`, close: () => closeAtOnce(server) };
}

type Answer = DeliveriesStep['deliveries'][number]['answer'];

/** Of each event type, in the story's order. */
function answersByEvent(scenario: Scenario): Map<string, Answer[]> {
  const answers = new Map<string, Answer[]>();
  for (const step of scenario.steps) {
    if (!('deliveries' in step)) continue;
    for (const { event, answer } of step.deliveries) {
      answers.set(event, [...(answers.get(event) ?? []), answer]);
    }
  }
  return answers;
}

function typeOf(body: Buffer): string {
  return /"type":"([a-z_.]+)"/.exec(body.toString())?.[1] ?? '';
}
