/** `/sandbox/*` for the run itself: clock, faults, events, deliveries, requests, reset. */
import { z } from 'zod';
import { timestampOut } from '../../service/wire/fields.ts';
import { FAILURE_CLASSES } from '../../service/wire/processor.ts';
import { CALL_FAULTS, WEBHOOK_FAULTS } from '../fault-rule.ts';
import type { Endpoint, Incoming } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { created, noContent, ok, param } from '../http/route.ts';
import { SIGNATURE_TIMES } from '../options.ts';
import type { Recorder } from '../recording/recorder.ts';
import { RESTORED } from '../recording/recorder.ts';
import { writeScenario } from '../recording/write-scenario.ts';
import { invalid } from '../refusal.ts';
import type { RequestLog } from '../request-log.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import { restoreSnapshot, takeSnapshot } from '../state/snapshot.ts';
import { publishRaw, startDelivery } from '../webhooks/emit.ts';
import { control, must, readControl } from './control-endpoint.ts';
import { countAll } from './count-all.ts';

export interface RunParts {
  readonly requestLog: RequestLog;
  readonly recorder: Recorder;
  reset(): void;
}

export const clockMove = z.strictObject({
  advance_seconds: z.number().min(0).optional(),
  set: timestampOut.optional(),
});

export const clockChange = z.strictObject({ signature_time: z.enum(SIGNATURE_TIMES) });

export const faultInput = z.strictObject({
  on: z.string().min(1),
  kind: z.enum([...new Set([...CALL_FAULTS, ...WEBHOOK_FAULTS])]),
  times: z.int().min(1).optional(),
  skip: z.int().min(0).optional(),
  rate: z.number().min(0).max(1).optional(),
  for_ms: z.number().min(0).optional(),
  contains: z.string().optional(),
  event_type: z.string().optional(),
  attempt: z.int().min(1).optional(),
  status: z.int().min(100).max(599).optional(),
  code: z.string().optional(),
  failure_class: z.enum(FAILURE_CLASSES).optional(),
  delay_ms: z.number().min(0).optional(),
  late_ms: z.number().min(0).optional(),
  age_seconds: z.number().optional(),
});

export const rawEvent = z.strictObject({
  organisation_id: z.string().optional(),
  type: z.string(),
  /** Sent, signed, exactly as given. */
  body: z.string(),
});

export function runEndpoints(context: SandboxContext, parts: RunParts): readonly Endpoint[] {
  const { recorder, requestLog } = parts;
  return [
    control('POST', '/sandbox/reset', () => {
      const forgotten = countAll(context.state);
      parts.reset();
      return ok({ forgotten, kept: { ...KEPT_BY_RESET, now: nowIso(context) } });
    }),
    control('GET', '/sandbox/snapshot', () => ok(takeSnapshot(context))),
    control('POST', '/sandbox/snapshot', (incoming) => {
      restoreSnapshot(context, incoming.readBody());
      recorder.giveUp(RESTORED);
      return noContent();
    }),
    control('GET', '/sandbox/recording', () => ({
      status: 200,
      contentType: 'application/yaml',
      headers: { 'Content-Disposition': 'attachment; filename="recorded.yaml"' },
      body: writeScenario(context, recorder.read()),
    })),
    control('GET', '/sandbox/clock', () => ok(showClock(context))),
    control('POST', '/sandbox/clock', (incoming) => moveClock(context, incoming)),
    control('PATCH', '/sandbox/clock', (incoming) => {
      context.signatureTime = readControl(incoming, clockChange).signature_time;
      return ok(showClock(context));
    }),
    ...faultEndpoints(context),
    control('GET', '/sandbox/requests', () => ok({ items: requestLog.all() })),
    control('GET', '/sandbox/events', () =>
      ok({
        items: [...context.state.events.values()].map((event) => ({
          ...event,
          body: event.body.toString(),
        })),
      }),
    ),
    control('POST', '/sandbox/events', (incoming) => {
      const { organisation_id: given, type, body } = readControl(incoming, rawEvent);
      const [first] = context.state.organisations.keys();
      return created(publishRaw(context, { organisationId: given ?? first ?? '', type, body }));
    }),
    control('GET', '/sandbox/deliveries', () =>
      ok({ items: [...context.state.deliveries.values()] }),
    ),
    control('POST', '/sandbox/deliveries/{delivery_id}/redeliver', (incoming) =>
      created(redeliver(context, param(incoming, 'delivery_id'))),
    ),
  ];
}

/** What a reset does not touch, in words; everything else is as after the start. */
const KEPT_BY_RESET = {
  accounts: 'the demonstration accounts, with the same ids, keys and secrets',
  clock: 'the time, which only moves forward',
  settings: 'what the sandbox was started with, the address of --webhooks included',
  not_kept: 'what a seed file or a snapshot brought, planted faults, and the request log',
};

/** Sends the event of a delivery once more, as a new delivery. */
export function redeliver(context: SandboxContext, deliveryId: string): { readonly id: string } {
  const { state } = context;
  const delivery = must(state.deliveries.get(deliveryId), 'The delivery');
  const event = must(state.events.get(delivery.event_id), 'The event');
  const subscription = must(state.subscriptions.get(delivery.subscription_id), 'The subscription');
  return { id: startDelivery(context, event, subscription) };
}

function showClock(context: SandboxContext): object {
  return { now: nowIso(context), signature_time: context.signatureTime };
}

async function moveClock(context: SandboxContext, incoming: Incoming): Promise<Answer> {
  const { advance_seconds: seconds = 0, set } = readControl(incoming, clockMove);
  const targetMs = set === undefined ? context.clock.nowMs() + seconds * 1000 : Date.parse(set);
  if (targetMs < context.clock.nowMs()) {
    const message = 'The clock only moves forward. Give a later moment, or reset.';
    throw invalid([{ code: 'VALIDATION_INVALID_VALUE', message, field: 'set' }]);
  }
  await context.timers.advanceTo(targetMs);
  return ok(showClock(context));
}

function faultEndpoints(context: SandboxContext): readonly Endpoint[] {
  return [
    control('GET', '/sandbox/faults', () => ok({ items: context.faults.list() })),
    control('POST', '/sandbox/faults', (incoming) => {
      const rule = readControl(incoming, faultInput);
      return created(context.faults.add(rule));
    }),
    control('DELETE', '/sandbox/faults', () => {
      context.faults.clear();
      return noContent();
    }),
    control('DELETE', '/sandbox/faults/{fault_id}', (incoming) => {
      const removed = context.faults.remove(param(incoming, 'fault_id'));
      must(removed ? removed : undefined, 'The fault');
      return noContent();
    }),
  ];
}
