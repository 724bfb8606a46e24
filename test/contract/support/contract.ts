/**
 * The frame of the contract suite: one service under test, reached over plain HTTP.
 *
 * Without settings that is a fresh sandbox per test, on a clock that stands still. With
 * `FORESTALL_CONTRACT_URL` and the settings below it is a real test organisation; whatever needs the
 * sandbox's controls (a clock, faults, a second organisation) is left out then.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, it } from 'vitest';
import type { FixedClock } from '../../../src/base/kernel/clock.ts';
import { createFixedClock } from '../../../src/base/kernel/clock.ts';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/index.ts';
import { createSandbox } from '../../../src/sandbox/index.ts';
import type { Json } from './json.ts';

const REMOTE = process.env['FORESTALL_CONTRACT_URL'];

/** A setting that a remote run needs. */
function setting(name: string): string {
  const value = process.env[`FORESTALL_CONTRACT_${name}`];
  if (value === undefined) {
    throw new Error(`A remote contract run needs FORESTALL_CONTRACT_${name}. Set it.`);
  }
  return value;
}

/** Registers a test titled with the rule it holds. */
type Rule = (title: string, run: () => void | Promise<void>, timeoutMs?: number) => void;

/** A real service limits requests, so that a test may have to wait for its next minute. */
const REMOTE_TIMEOUT_MS = 300_000;

/** A rule that holds on any service of this interface. */
export const rule: Rule = (title, run, timeoutMs) => {
  it(title, run, REMOTE === undefined ? timeoutMs : REMOTE_TIMEOUT_MS);
};

/** A rule whose proof needs the sandbox's controls. */
export const sandboxRule: Rule = it.skipIf(REMOTE !== undefined);

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

/** The service under test and the accounts to use it with. */
export interface Contract {
  readonly url: string;
  readonly sandbox: Sandbox;
  readonly clock: FixedClock;
  readonly organisationKey: string;
  readonly partnerKey: string;
  readonly organisationId: string;
  readonly merchantId: string;
  readonly integrationId: string;
  readonly alertEnrolmentId: string;
  readonly rdrEnrolmentId: string;
  /** With the organisation's key. */
  org(method: string, path: string, body?: unknown): Promise<Reply>;
  /** With the partner's key. */
  partner(method: string, path: string, body?: unknown): Promise<Reply>;
  /** With any key, or none. */
  send(
    request: { key?: string | undefined; method: string; path: string } & SendOptions,
  ): Promise<Reply>;
  /** The sandbox's control surface. */
  control(method: string, path: string, body?: unknown): Promise<Reply>;
}

/** The moment at which every sandbox of the suite starts. */
export const START = '2026-11-20T00:00:00.000Z';

/** Registers the hooks; the result is filled before each test. */
export function contract(options: SandboxOptions = {}): Contract {
  const clock = createFixedClock(START);
  let sandbox: Sandbox | undefined;
  beforeEach(async () => {
    if (REMOTE !== undefined) return;
    clock.setMs(Date.parse(START));
    sandbox = await createSandbox({ clock, ...options });
  });
  afterEach(async () => {
    await sandbox?.close();
    sandbox = undefined;
    if (REMOTE !== undefined) await tidyUp(REMOTE);
  });
  const local = (): Sandbox => {
    if (sandbox === undefined) throw new Error('This needs the sandbox. Use sandboxRule.');
    return sandbox;
  };
  const result: Contract = {
    clock,
    get sandbox() {
      return local();
    },
    get url() {
      return REMOTE ?? local().url;
    },
    get organisationKey() {
      return REMOTE === undefined ? local().accounts.organisationKey : setting('ORGANISATION_KEY');
    },
    get partnerKey() {
      return REMOTE === undefined ? local().accounts.partnerKey : setting('PARTNER_KEY');
    },
    get organisationId() {
      return REMOTE === undefined ? local().accounts.organisationId : setting('ORGANISATION_ID');
    },
    get merchantId() {
      return REMOTE === undefined ? local().accounts.merchantId : setting('MERCHANT_ID');
    },
    get integrationId() {
      return REMOTE === undefined ? local().accounts.integrationId : setting('INTEGRATION_ID');
    },
    get alertEnrolmentId() {
      return REMOTE === undefined
        ? local().accounts.alertEnrolmentId
        : setting('ALERT_ENROLMENT_ID');
    },
    get rdrEnrolmentId() {
      return REMOTE === undefined ? local().accounts.rdrEnrolmentId : setting('RDR_ENROLMENT_ID');
    },
    org: (method, path, body) => result.send({ key: result.organisationKey, method, path, body }),
    partner: (method, path, body) => result.send({ key: result.partnerKey, method, path, body }),
    send: (request) => send(result.url, request),
    control: (method, path, body) => send(local().url, { method, path: `/sandbox${path}`, body }),
  };
  return result;
}

/** Repeats what a real service refused because of its rate limit. */
async function send(
  url: string,
  request: { key?: string | undefined; method: string; path: string } & SendOptions,
): Promise<Reply> {
  const deadlineMs = performance.now() + REMOTE_TIMEOUT_MS;
  for (;;) {
    const reply = await sendOnce(url, request);
    if (REMOTE === undefined) return reply;
    if (reply.status !== 429 || performance.now() > deadlineMs) {
      remember(request.method, request.path, reply);
      return reply;
    }
    await wait(5000);
  }
}

async function sendOnce(
  url: string,
  request: { key?: string | undefined; method: string; path: string } & SendOptions,
): Promise<Reply> {
  const text =
    request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const response = await fetch(url + request.path, {
    method: request.method,
    redirect: 'manual',
    headers: {
      ...(request.key === undefined ? {} : { Authorization: `Bearer ${request.key}` }),
      ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = await response.text();
  return { status: response.status, headers: response.headers, text: answer, json: parse(answer) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What tests made at a real service and can take away again, the latest last. */
const leftovers: string[] = [];
const TIDIED = /^\/(?:v1\/rulesets|v1\/merchants|v[12]\/enrolments)\/?$/;

function remember(method: string, path: string, reply: Reply): void {
  if (method !== 'POST' || reply.status !== 201 || !TIDIED.test(path)) return;
  leftovers.push(`${path.replace(/\/$/, '')}/${reply.json.id}`);
}

async function tidyUp(url: string): Promise<void> {
  for (const path of leftovers.splice(0).toReversed()) {
    await send(url, { key: setting('PARTNER_KEY'), method: 'DELETE', path });
  }
}

let counter = 0;

/** A reference that no other order of the organisation has. */
export function unique(prefix: string): string {
  counter += 1;
  return `${prefix}-${Date.now().toString(36)}-${counter}`;
}

/** The one error of an answer: its code, and its field when there is one. */
export function errorOf(reply: Reply): { code: string; field?: string } {
  const { code, field } = reply.json.errors[0];
  return field === undefined ? { code } : { code, field };
}
