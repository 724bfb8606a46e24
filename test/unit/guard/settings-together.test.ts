/** Guarantee: settings of channels, guards and side actions that do not fit together are refused by name, never by value. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/running/config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'guards-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('readSettings', () => {
  it.each([
    [{ FORESTALL_NOTIFY_WEBHOOK_URL: 'https://a.example/x' }, 'FORESTALL_NOTIFY_WEBHOOK_SECRET'],
    [{ FORESTALL_NOTIFY_SMTP_URL: 'smtps://a.example' }, 'FORESTALL_NOTIFY_EMAIL_TO'],
    [{ FORESTALL_NOTIFY_SMTP_URL: 'https://a.example' }, 'must begin with smtp://'],
    [{ FORESTALL_ACTIONS_URL: 'https://a.example' }, 'FORESTALL_ACTIONS_SECRET'],
    [{ FORESTALL_ACTIONS_URL: 'http://a.example' }, 'must be https'],
    [{ FORESTALL_ACTIONS_SECRET: 'short' }, 'at least 16 characters'],
    [{ FORESTALL_GUARDS: '/nowhere.yaml' }, 'FORESTALL_GUARDS names a file that cannot be read'],
  ])('refuses %j', (settings, message) => {
    expect(() => readSettings(settings)).toThrow(message);
  });

  it('reads the guards file, the endpoint and the channels', () => {
    const path = join(folder, 'guards.yaml');
    writeFileSync(path, 'caps: { day: { count: 3 } }');
    const { guard, notify } = readSettings({
      FORESTALL_GUARDS: path,
      FORESTALL_ACTIONS_URL: 'http://127.0.0.1:9/actions',
      FORESTALL_ACTIONS_SECRET: 'sixteen-characters',
      FORESTALL_NOTIFY_SMTP_URL: 'smtps://mail.example',
      FORESTALL_NOTIFY_EMAIL_FROM: 'a@shop.example',
      FORESTALL_NOTIFY_EMAIL_TO: 'b@shop.example',
      FORESTALL_CONSOLE_URL: 'https://console.example',
    });
    expect(guard.guards.caps.day?.count).toBe(3);
    expect(guard.actions?.url).toBe('http://127.0.0.1:9/actions');
    expect(notify).toMatchObject({
      email: { url: 'smtps://mail.example', to: 'b@shop.example' },
      consoleUrl: 'https://console.example',
      webhook: undefined,
    });
  });
});
