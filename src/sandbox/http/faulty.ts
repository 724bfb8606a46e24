/** Answers a call that a planted fault strikes. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Response } from 'express';
import type { PlantedFault } from '../faults.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { scheduleIn } from '../sandbox-context.ts';
import type { Answer } from './route.ts';

/** The call being answered. */
export interface FaultyCall {
  readonly res: Response;
  run(concurrent: boolean): Promise<Answer>;
  send(answer: Answer): void;
}

/** How long a `late` call waits on the sandbox's clock unless it says so. */
export const LATE_MS_DEFAULT = 60_000;

/** Answers, or does not. See `CALL_FAULTS` for what each kind does. */
export async function answerFaulty(
  context: SandboxContext,
  fault: PlantedFault,
  call: FaultyCall,
): Promise<void> {
  if (fault.delay_ms !== undefined) {
    const { signal } = context.closing;
    await wait(fault.delay_ms, undefined, { signal, ref: false }).catch(() => undefined);
  }
  switch (fault.kind) {
    case 'status':
      call.send(answerOf(fault));
      return;
    case 'status_after':
      await call.run(false);
      call.send(answerOf(fault));
      return;
    case 'hang':
      // The connection ends when the caller gives up or the sandbox closes.
      return;
    case 'drop_before':
      call.res.socket?.destroy();
      return;
    case 'drop_after':
      await call.run(false);
      call.res.socket?.destroy();
      return;
    case 'late':
      context.lateCalls.set(fault.id + fault.fired, () => call.run(false));
      scheduleIn(context, fault.late_ms ?? LATE_MS_DEFAULT, {
        kind: 'late_call',
        subject: fault.id + fault.fired,
      });
      call.res.socket?.destroy();
      return;
    case 'malformed':
      await call.run(false);
      call.res.status(200).type('html').send('<html><body>Please try again later.</body></html>');
      return;
    case 'truncated':
      call.res
        .status(200)
        .type('application/json')
        .send(half(await call.run(false)));
      return;
    case 'duplicate':
      await call.run(false);
      call.send(await call.run(true));
      return;
    default:
      // `delay`, and kinds that mean something for webhooks only.
      call.send(await call.run(false));
  }
}

function answerOf(fault: PlantedFault): Answer {
  const status = fault.status ?? 500;
  const code = fault.code ?? (status === 429 ? 'RATE_LIMITED' : 'SERVER_ERROR');
  const { failure_class: failureClass } = fault;
  const stated = failureClass === undefined ? {} : { failure_class: failureClass };
  const message = 'A planted fault answered.';
  return { status, body: { errors: [{ code, ...stated, message }] } };
}

function half(answer: Answer): string {
  const json = JSON.stringify(answer.body ?? {});
  return json.slice(0, Math.ceil(json.length / 2));
}
