/**
 * Every row of the fault catalogue with its title. A row without a case of its own says which other row's case
 * drives it too.
 */

export interface Row {
  readonly id: string;
  readonly title: string;
  /** The case that drives a row which has none of its own. */
  readonly drivenBy?: string;
}

const row = (id: string, title: string, drivenBy?: string): Row =>
  drivenBy === undefined ? { id, title } : { id, title, drivenBy };

const SIGNATURES: readonly Row[] = [
  row('S01', 'valid: 2xx'),
  row('S02', 'no header, empty header: 401'),
  row('S03', 'only t=, only v1=: 401'),
  row('S04', 't twice, header twice: 401'),
  row('S05', 'v1 twice, second valid: 2xx'),
  row('S06', 'v0= or v2= only: 401'),
  row('S07', 'upper-case hex: 401'),
  row('S08', '127, 129, 128+zz hex: 401'),
  row('S09', 't with letters, sign, exponent, hex, space, full-width digits: 401'),
  row('S10', 't negative, empty, NaN, 20 digits, leading zero: 401'),
  row('S11', 't inside and outside of 300 s, both ways'),
  row('S12', 'body byte flipped, newline added: 401'),
  row('S13', 'MAC over re-serialised JSON: 401'),
  row('S14', 'old secret during rotation 2xx, after removal 401'),
  row('S15', 'MAC with empty key, SHA-256, "undefined": 401'),
  row('S16', 'same signed request again: 2xx, no second effect'),
  row('S17', 'stale t, MAC valid: 401 and one read of the alert'),
  row('S18', 'empty body, correct MAC: quarantine, 2xx'),
  row('S19', 'no body at all: as S18, or 401; no crash'),
  row('S20', 'byte order mark and JSON: quarantine, 2xx'),
  row('S21', 'invalid UTF-8: quarantine, 2xx'),
  row('S22', 'two bodies differing in FE/FF under one MAC: second 401'),
  row('S23', 'Content-Encoding gzip: 415'),
  row('S24', 'gzip bomb: 415, memory flat'),
  row('S25', 'utf-16, text/plain, no type: by bytes'),
  row('S26', 'chunked: 2xx'),
  row('S27', 'CL+TE, two CL, CL above body: 400'),
  row('S28', '10 MB with and without length: 413 before buffering'),
  row('S29', '17 KB header: 431'),
  row('S30', 'headers or body 1 B/s: 408 within 10 s'),
  row('S31', 'header named __proto__: normal answer'),
  row('S32', 'other methods on the hook: 405'),
  row('S33', 'JSON array, string, null, number: quarantine, 2xx'),
  row('S34', 'duplicate key id: quarantine, never two ids'),
];

const DATABASE: readonly Row[] = [
  row('F01', 'Postgres stopped during ingest of 200 events: 503 within 5 s, then all present'),
  row('F02', 'Postgres restarted fast, immediate, connections terminated: back within 10 s'),
  row('F03', 'Postgres accepts and never answers: 503 within 5 s, readiness red, memory flat'),
  row('F04', 'the reply to COMMIT lost, at each step: nothing lost or doubled'),
  row('F05', 'the workers’ connections stuck: ingest p99 below 1 s'),
  row('F06', 'deadlock and serialization failure injected: repeated, no double step'),
  row('F07', 'disk full: 503, no 2xx; resumes by itself'),
  row('F08', 'read-only standby: 503, readiness red, recovery after the switch'),
];

const EVENTS: readonly Row[] = [
  row('F09', 'same event 50 times in parallel: one row, 50 × 2xx, one refund'),
  row('F10', 'same event id, other body: first kept, second quarantined, somebody told'),
  row('F11', 'other event ids, same alert: one case, no second refund'),
  row('F12', 'new delivery id, same event id: one event'),
  row('F13', 'same delivery id, new event id: both processed'),
  row('F14', 'alert.updated before alert.created: right in both orders'),
  row('F15', 'older snapshot after newer: never goes back'),
  row('F16', 'ten orders of created, updated, resolved, invalid: same end'),
  row('F17', 'event three days old with a fresh t: the read decides'),
  row('F18', 'webhooks lost: the poll finds all'),
  row('F19', 'clocks 10 min apart, an hour back: refused, told, polled, nothing double'),
  row('F20', 'unknown event type: 2xx, stored, no effect'),
  row('F21', 'unknown fields at all levels: 2xx, kept in raw'),
  row('F22', 'unknown status, enrolment type, outcome, scheme: a person, no effect'),
  row('F23', 'deadline past, 5 min, 90 days: told at once, no crash'),
  row('F24', 'no identifiers: a person'),
  row('F25', 'ARN of 22 and 24 characters, with a space: not a key'),
  row('F26', 'amounts: a cent more, other currency, yen: exact or a person'),
  row('F27', 'organisation of somebody else: quarantined, no case'),
  row('F28', 'NUL, lone surrogate, RTL, emoji: 2xx, shown escaped'),
  row('F29', 'JSON as deep as the limit allows: quarantine, 2xx, process lives'),
  row('F30', '1 MB of keys: 413; many keys below the limit: no stall'),
  row('F31', '__proto__, constructor, toString keys: no pollution'),
  row('F32', 'SQL injection in every console query parameter: 400'),
  row('F33', 'hostile texts through descriptor, note, issuer: no element in any page'),
  row('F34', 'event id of 12,000 characters: quarantine, 2xx'),
  row('F35', 'slowloris, 500 sockets: signed event below 1 s meanwhile'),
  row('F36', '500 signed events a second for 30 s: all 2xx below 5 s, or 503; none lost'),
];

const STRESS: readonly Row[] = [
  row('L1', 'Postgres restarted, frozen, full, cut under load: 2xx or 503 within 5 s'),
];

const WORKERS: readonly Row[] = [
  row(
    'F37',
    'kill -9 at each crash point from the delivery to the answer: one refund, one answer each',
  ),
  row('F38', 'kill -9 at random, three serve, three work: one refund, one answer each'),
  row('F39', 'SIGSTOP of the worker after SENT beyond its lease, SIGCONT: it sends nothing'),
  row('F40', 'two workers start one case 1,000 times: one refund, one answer each'),
  row('F41', 'job expiry shorter than the handler: begun twice at once, harmless'),
  row('F42', 'jobs deleted: work goes on from the rows'),
  row('F43', 'handler throws always: capped backoff, alarm, a person'),
  row('F44', 'SIGTERM under load, 20 times: exit 0, no lost 2xx'),
  row('F45', 'out of its 512 MB during a batch: one refund, one answer each'),
];

const PROCESSOR: readonly Row[] = [
  row('F46', 'hangs after accepting: unknown within 15 s, look-up, one refund'),
  row('F47', 'executes, then resets: found by look-up, one refund'),
  row('F48', '500 after and before executing: one refund in both'),
  row('F49', '200 with truncated JSON or HTML: look-up, one refund'),
  row('F50', 'look-up lags 10 min: no second send before'),
  row('F51', 'look-up down for 30 h, key life 24 h: a person before hour 24, no second send'),
  row('F52', 'key in use, key reused: wait, same key'),
  row('F53', 'pending, then succeeded, failed (tried again), never'),
  row('F54', 'succeeded, failed two days later: reversed, somebody told'),
  row('F55', 'no balance: tried again, told; window over, dispute open: a person, no loop'),
  row('F56', 'late execution of a request we gave up on: one refund'),
  row('F57', 'support refunds fully, partly, after: never above captured'),
];

const SERVICE: readonly Row[] = [
  row('F58', '429 storm: at most 80 calls a minute and endpoint, none missed after it'),
  row('F59', '502/503 for six hours: case waits, alarms, done after it'),
  row('F60', 'hangs on GET and PATCH: other cases go on'),
  row('F61', 'PATCH applied, reply lost or unreadable: one effective PATCH'),
  row('F62', 'PATCH 200 but body still ACTION_REQUIRED: not taken for done'),
  row('F63', '422 INVALID_ACTION after it took effect: declared'),
  row('F64', 'alert turns INVALID after the refund: refund stands, no loop'),
  row('F65', 'accepted in the dashboard while we refund: conflict, told'),
  row('F66', '401 mid-run: refunds stop, told, resumes without restart'),
  row('F67', '302 to another host: key not sent (wrong TLS: V12.3.2, plain HTTP: F85)', 'F68'),
  row('F68', 'list in odd shapes, wrong types, HTML: never "no alerts"'),
  row('F69', 'gzip bomb, endless answer: cut at 5 MB, memory flat', 'F68'),
  row('F70', '404 on a known alert: a person, told, no effect'),
  row('F71', 'connection reset while the refund is written: unknown, same key'),
  row('F72', 'RDR created resolved, RDR invalid: no refund, no PATCH'),
  row('F73', 'alert and RDR for one payment, both orders: one kit refund, told if both paid'),
  row('F74', 'two alerts for one complaint: one refund, two answers'),
  row('F75', 'two payments match: a person'),
  row('F76', 'deadline passes: told before, miss recorded, nothing sent'),
  row('F77', 'alarm channel down: kept, repeated, second channel'),
];

const ORDERS: readonly Row[] = [
  row('F78', '100 orders with one bad: the others reach the service'),
  row('F79', 'reply to an order lost: taken over by its reference, sent once'),
  row('F80', 'order PATCH before POST landed, PATCH 404'),
  row('F81', 'item references reused across orders: none is refused for it', 'F78'),
  row('F82', 'full card number in an order: refused, repeated nowhere'),
  row('F130', '100 orders of 94 items, one that no index takes: the others reach the service'),
];

const OPERATIONS: readonly Row[] = [
  row('F83', 'migration by three at once, one killed inside: rerun clean'),
  row('F84', 'new code on an old schema: refuses to start'),
  row(
    'F85',
    'bad secrets, NAME and NAME_FILE, plain HTTP, public console: status 2, named, no value',
  ),
  row('F86', 'test organisation with a live processor, key of another organisation: status 2'),
  row('F87', 'time zone, language, umask, uid 65534, read-only root: same results'),
  row('F88', 'backup of six hours ago: reconcile first, none doubled'),
  row('F89', 'two kits on one organisation: one refund per complaint'),
  row('F90', 'two operators on one case: one wins, the other gets 409'),
  row('F110', 'PgBouncer in session and transaction mode: no event lost, one refund each'),
  row('F111', 'secret in a file exchanged while running: in force, the old one until taken out'),
  row('G8', 'from kill -9 to the next step: p95 below 90 s'),
  row('R1', 'three serve and three work replaced one by one under load'),
  row('R2', 'rolling upgrade with a migration in between: nothing lost or doubled'),
];

const FAILOVER: readonly Row[] = [
  row(
    'HA1',
    '20 failovers to a synchronous standby: no 2xx lost, one refund each, back within 30 s',
  ),
  row('HA2', 'failover, the old primary silent instead of gone: as HA1'),
  row('HA3', 'failover, the address leads to a read-only server first: told; then as HA1'),
  row('HA4', 'failover to an asynchronous standby: what was lost is read again and told'),
];

const FRONT_DOOR: readonly Row[] = [
  row('F91', '/readyz asked 250 times a second: a status only, refunds go on'),
  row('F92', 'Postgres frozen: /readyz red within 3 s'),
  row('F93', '4,000 slow connections: memory flat, signed events stored'),
  row('F94', 'row of an answered event gone: its repeat is stored'),
  row('F95', 'signed body of 250 KB, a number of zeros: no stall'),
  row('F96', 'FORESTALL_PROCESSOR=ftp://…: status 2, no value, nothing migrated'),
  row('F97', 'roles apart: counters and health on private ports'),
];

const STORE: readonly Row[] = [
  row('F120', 'created and updated of one second, what cannot be polled: the last one stays'),
  row('F121', 'partitions made and dropped behind a long reader: no delivery waits'),
  row('F122', 'full card number in a delivery: in no row and no stored body'),
];

const CHECKLIST: readonly Row[] = [
  row('V1.2.1', 'hostile descriptor in list, detail, CSV: text only, strict CSP', 'F33'),
  row('V1.2.2', 'alert id ../orders/x in our outbound path: refused'),
  row('V1.2.4', 'SQL in parameters: 400', 'F32'),
  row('V1.2.10', 'formula in CSV export: prefixed'),
  row('V1.3.6', 'metadata address in a field: no connection'),
  row('V1.5.3', '1e400, -0, 2^53+1, 1.0 as amounts: refused or exact; duplicate keys: S34'),
  row('V2.2.1', 'amount below 0, odd currency, deadline before created: a person'),
  row('V2.3.1', 'a step skipped, two decisions in parallel: one, and 409', 'F90'),
  row('V2.3.5', 'refund above a limit by one operator: second person'),
  row('V2.4.1', '1,000 forged posts a second: signed p99 below 1 s'),
  row('V3.3.x', 'cookie: HttpOnly, SameSite=Strict, gone after sign-out', 'V3.5.1'),
  row('V3.4.x', 'security headers on pages, API, health and errors'),
  row('V3.5.1', 'cross-site POST: 403; GET with effect: there is none'),
  row('V4.1.4', 'TRACE, PUT, OPTIONS, DELETE on the API: 405'),
  row('V6.2.x', 'bad sign-ins: refused alike, then delayed, told; no passwords exist'),
  row('V7.x', 'token after sign-out, role change, 12 h: worthless'),
  row('V8.2.1', 'no token, wrong token: 401 and no effect'),
  row('V11.2.4', 'wrong MACs: their time does not tell where they are wrong'),
  row('V12.3.2', 'wrong certificate on service, processor, database: refused'),
  row('V13.2.2', 'superuser: warned; default password in live mode: status 2'),
  row('V13.4.x', 'metrics and API are not on the public listener'),
  row('V14.2.1', 'nothing secret in a URL; answers are not kept by caches', 'V3.4.x'),
  row('V15.3.2', '302 with our key: not followed', 'F68'),
  row('V15.3.3', '__proto__ and role in a decision: refused'),
  row('V16.2.5', 'CRLF and ANSI in a descriptor: one JSON line', 'I1-I4'),
  row('V16.5.3', 'throw in policy code: a person, never an acceptance'),
  row('V16.5.4', 'a failure nobody caught: one log line, status 1'),
  row('API10', 'service answers HTML, wrong types: alarm, no state change', 'F68'),
];

export const CATALOGUE: readonly Row[] = [
  ...SIGNATURES,
  ...DATABASE,
  ...EVENTS,
  ...STRESS,
  ...WORKERS,
  ...PROCESSOR,
  ...SERVICE,
  ...ORDERS,
  ...OPERATIONS,
  ...FAILOVER,
  ...FRONT_DOOR,
  ...STORE,
  ...CHECKLIST,
];
