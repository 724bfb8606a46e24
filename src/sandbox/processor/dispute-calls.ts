/**
 * Disputes in the HTTP contract of the sandbox's processor: shown, files staged, evidence handed in, given up.
 *
 * It takes one submission for a dispute, until the dispute is due; another is refused with `already_submitted`.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { EVIDENCE_FILE_TYPES } from '../../service/wire/processor-dispute.ts';
import type { Incoming } from '../http/endpoint.ts';
import type { Answer } from '../http/route.ts';
import { param } from '../http/route.ts';
import { readInput } from '../refusal.ts';
import type { SandboxContext } from '../sandbox-context.ts';
import { nowIso } from '../sandbox-context.ts';
import type { DisputeRecord } from '../state/disputes.ts';
import { changeDispute } from './dispute-life.ts';
import { onceByKey, processorError } from './refunds.ts';

/** Disputes on one page of the list. */
const PAGE = 50;

/** As the contract shows it: a submission is seen after the lag of look-ups. */
export function showDispute(context: SandboxContext, dispute: DisputeRecord): object {
  const { submissions, changed_at: _changed, ...shown } = dispute;
  const sinceMs = context.clock.nowMs() - context.processor.lookup_lag_seconds * 1000;
  const last = submissions.findLast(({ at }) => Date.parse(at) <= sinceMs);
  const isHidden = last === undefined && submissions.length > 0;
  return {
    ...shown,
    status: isHidden ? 'needs_response' : statusNow(context, dispute),
    acquirer_reference_number:
      context.state.charges.get(dispute.charge_reference)?.acquirer_reference_number ?? null,
    submission: last === undefined ? null : { idempotency_key: last.idempotency_key, at: last.at },
  };
}

function statusNow(context: SandboxContext, dispute: DisputeRecord): DisputeRecord['status'] {
  return dispute.status === 'needs_response' && isPastDue(context, dispute)
    ? 'expired'
    : dispute.status;
}

function isPastDue(context: SandboxContext, { due_by: dueBy }: DisputeRecord): boolean {
  return dueBy !== null && Date.parse(dueBy) <= context.clock.nowMs();
}

function notFound(): Answer {
  const said = { code: 'dispute_not_found', failureClass: 'final' } as const;
  return processorError(404, said, 'There is no such dispute.');
}

type About = (dispute: DisputeRecord) => Answer;

/** Finds the dispute of the path, where disputes are offered. */
function about(context: SandboxContext, incoming: Incoming, act: About): Answer {
  if (context.processor.offers.disputes === false) {
    return processorError(501, { code: 'not_offered' }, 'Disputes are not offered.');
  }
  const dispute = context.state.disputes.get(param(incoming, 'reference'));
  return dispute === undefined ? notFound() : act(dispute);
}

/** Where a dispute is in the list: one that changes moves to the end, and leaves no other out. */
const placeOf = ({ changed_at: at, reference }: DisputeRecord): string => `${at} ${reference}`;

/** `GET /processor/disputes`: those that changed since, oldest change first, a page at a time. The cursor is the last place shown. */
export function listDisputes(context: SandboxContext, incoming: Incoming): Answer {
  if (context.processor.offers.disputes === false) {
    return processorError(501, { code: 'not_offered' }, 'Disputes are not offered.');
  }
  const { changed_since: since, cursor = '' } = incoming.query;
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since);
  const found = [...context.state.disputes.values()]
    .filter((dispute) => Date.parse(dispute.changed_at) >= from && placeOf(dispute) > cursor)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const page = found.slice(0, PAGE);
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      items: page.map((dispute) => showDispute(context, dispute)),
      cursor: found.length > PAGE && last !== undefined ? placeOf(last) : null,
    },
  };
}

/** `GET /processor/disputes/{reference}`. */
export function getDispute(context: SandboxContext, incoming: Incoming): Answer {
  return about(context, incoming, (dispute) => ({
    status: 200,
    body: showDispute(context, dispute),
  }));
}

export const stageInput = z.looseObject({
  slot: z.string().min(1),
  name: z.string().min(1),
  type: z.string(),
  content_base64: z.base64(),
});

/** `POST /processor/disputes/{reference}/files`. */
export function stageFile(context: SandboxContext, incoming: Incoming): Answer {
  return about(context, incoming, (dispute) =>
    onceByKey(context, incoming, () => {
      const {
        slot,
        name,
        type,
        content_base64: base64,
      } = readInput(stageInput, incoming.readBody());
      const content = Buffer.from(base64, 'base64');
      const refused =
        refuseClosed(context, dispute) ?? refuseFile(dispute, { slot, type, content });
      if (refused !== undefined) return refused;
      const file = {
        reference: context.ids.nextWith('ef_', 20),
        idempotency_key: incoming.header('idempotency-key') ?? null,
        slot,
        name,
        type: EVIDENCE_FILE_TYPES.find((each) => each === type) ?? 'application/pdf',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      };
      dispute.staged.push(file);
      return { status: 200, body: file };
    }),
  );
}

/** How files of each type begin. */
const SIGNATURES: Readonly<Record<string, string>> = {
  'application/pdf': '255044462d',
  'image/png': '89504e470d0a1a0a',
  'image/jpeg': 'ffd8ff',
};

function refuseFile(
  { wants }: DisputeRecord,
  file: { readonly slot: string; readonly type: string; readonly content: Buffer },
): Answer | undefined {
  const refuse = (code: string, message: string, status = 422): Answer =>
    processorError(status, { code, failureClass: 'final' }, message);
  if (!wants.slots.some(({ name }) => name === file.slot)) {
    return refuse('unknown_slot', 'The dispute takes no such file.');
  }
  const signature = SIGNATURES[file.type];
  const isOfType =
    signature !== undefined && file.content.toString('hex', 0, 8).startsWith(signature);
  if (!wants.file_types.some((each) => each === file.type) || !isOfType) {
    return refuse('file_format', `The file is no ${wants.file_types.join(', ')}.`);
  }
  if (file.content.length > wants.file_bytes_max) {
    return refuse('file_too_large', `A file may have ${wants.file_bytes_max} bytes.`, 413);
  }
  return undefined;
}

function refuseClosed(context: SandboxContext, dispute: DisputeRecord): Answer | undefined {
  if (dispute.submissions.length > 0) {
    const said = { code: 'already_submitted', failureClass: 'done' } as const;
    return processorError(422, said, 'Evidence was handed in already.');
  }
  if (dispute.status !== 'needs_response') {
    const said = { code: 'dispute_closed', failureClass: 'final' } as const;
    return processorError(422, said, `The dispute is ${dispute.status}.`);
  }
  if (!isPastDue(context, dispute)) return undefined;
  const said = { code: 'past_due', failureClass: 'final' } as const;
  return processorError(422, said, 'The dispute was due before.');
}

export const submissionInput = z.looseObject({
  fields: z.record(z.string(), z.string()),
  files: z.array(z.looseObject({ slot: z.string(), reference: z.string() })),
});

/** `POST /processor/disputes/{reference}/submission`: once. */
export function postSubmission(context: SandboxContext, incoming: Incoming): Answer {
  return about(context, incoming, (dispute) =>
    onceByKey(context, incoming, () => {
      const input = readInput(submissionInput, incoming.readBody());
      const refused = refuseClosed(context, dispute) ?? refuseSubmission(dispute, input);
      if (refused !== undefined) return refused;
      dispute.submissions.push({
        idempotency_key: incoming.header('idempotency-key') ?? null,
        at: nowIso(context),
        fields: input.fields,
        files: input.files.map(({ slot, reference }) => ({ slot, reference })),
      });
      changeDispute(context, dispute, { status: 'under_review' });
      const { submissions, changed_at: _changed, ...shown } = dispute;
      const last = submissions.at(-1);
      return {
        status: 200,
        body: { ...shown, submission: { idempotency_key: last?.idempotency_key, at: last?.at } },
      };
    }),
  );
}

function refuseSubmission(
  { wants, staged }: DisputeRecord,
  { fields, files }: z.infer<typeof submissionInput>,
): Answer | undefined {
  const refuse = (code: string, message: string): Answer =>
    processorError(422, { code, failureClass: 'final' }, message);
  for (const [name, text] of Object.entries(fields)) {
    const field = wants.fields.find((each) => each.name === name);
    if (field === undefined) return refuse('unknown_field', `There is no field ${name}.`);
    if ([...text].length > field.chars_max) {
      return refuse('text_too_long', `${name} may have ${field.chars_max} characters.`);
    }
  }
  const known = files.map(({ reference }) => staged.find((file) => file.reference === reference));
  if (known.includes(undefined)) return refuse('unknown_file', 'A file was never staged.');
  const bytes = known.reduce((sum, file) => sum + (file?.bytes ?? 0), 0);
  if (files.length > wants.files_max || bytes > wants.all_bytes_max) {
    return refuse('files_too_large', 'There are too many files, or too large ones.');
  }
  const missing = [
    ...wants.fields.filter(({ name, required }) => required && (fields[name] ?? '') === ''),
    ...wants.slots.filter(
      ({ name, required }) => required && !files.some((file) => file.slot === name),
    ),
  ];
  return missing.length === 0
    ? undefined
    : refuse('evidence_missing', `${missing.map(({ name }) => name).join(', ')} must be given.`);
}

/** `POST /processor/disputes/{reference}/acceptance`: the merchant gives up. */
export function acceptDispute(context: SandboxContext, incoming: Incoming): Answer {
  return about(context, incoming, (dispute) =>
    onceByKey(context, incoming, () => {
      const refused = refuseClosed(context, dispute);
      if (refused !== undefined) return refused;
      changeDispute(context, dispute, { status: 'accepted' });
      return { status: 200, body: showDispute(context, dispute) };
    }),
  );
}
