/**
 * Guarantee: a page that is asked for a filter, an order, a period or a place that it does not know says so: it refuses, or
 * shows what was asked for. Never does it show another list, or an empty one, without a word.
 *
 * Which values a page takes is read from the page itself: what its links carry, and the fields of its forms.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageRoutes, routeOf, walkPages } from '../../browser/support/page-walk.ts';
import type { Site } from '../../browser/support/site.ts';
import { CONSOLE_TOKEN, fillPages, openSite, raiseReview } from '../../browser/support/site.ts';

/** A value that nothing has. */
const ODD = 'zq7odd';

let site: Site;
let cookie = '';
/** By path: its parameters, each with an address of the console that has it. */
const asked = new Map<string, Map<string, string>>();

beforeAll(async () => {
  site = await openSite();
  const { representmentId, claimedId } = await fillPages(site);
  const { alertId, sale } = await raiseReview(site);
  const answer = await fetch(`${site.url}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: CONSOLE_TOKEN }).toString(),
  });
  cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const texts: string[] = [];
  const read = async (path: string): Promise<string> => {
    const text = await (await get(path)).text();
    texts.push(text);
    return text;
  };
  await walkPages(read, [
    '/alerts?state=all',
    `/alerts/${alertId}`,
    `/charges/${sale.charge.reference}`,
    `/representments/${representmentId}`,
    `/credits/${claimedId}`,
  ]);
  for (const text of texts) noteAll(text);
});
afterAll(async () => {
  await site.close();
});

const get = (path: string): Promise<Response> => fetch(site.url + path, { headers: { cookie } });

function note(path: string, name: string, example: string): void {
  const route = routeOf(path);
  if (route === undefined || !pageRoutes().includes(route)) return;
  const known = asked.get(route) ?? new Map<string, string>();
  if (!known.has(name)) known.set(name, example);
  asked.set(route, known);
}

/** What links, refreshing parts and forms of a page ask for. */
function noteAll(text: string): void {
  for (const [, address = ''] of text.matchAll(/ (?:href|hx-get)="(\/[^"#]*\?[^"#]*)"/g)) {
    const url = new URL(address.replaceAll('&amp;', '&'), site.url);
    for (const name of url.searchParams.keys()) note(url.pathname, name, url.pathname + url.search);
  }
  for (const [form, attributes = ''] of text.matchAll(/<form ([^>]*)>.*?<\/form>/gs)) {
    const path = /action="(\/[^"?]*)"/.exec(attributes)?.[1];
    if (path === undefined || !attributes.includes('method="get"')) continue;
    const names = [...form.matchAll(/<(?:input|select)[^>]* name="([^"]+)"/g)];
    for (const [, name = ''] of names) note(path, name, path);
  }
}

/** What a person reads, fields and the word that is chosen included. */
function readable(text: string): string {
  return text
    .replaceAll(/<input[^>]*type="hidden"[^>]*>/g, '')
    .replaceAll(/<(?:input|textarea)[^>]* value="([^"]*)"[^>]*>/g, ' $1 ')
    .replaceAll(/<[^>]+>/g, ' ');
}

/** Not what a list is asked for: where one goes afterwards, and what was done a moment ago. */
const OTHERWISE = new Set(['/login next', '/login again', '/login lost', '/confirm next']);

describe('a value that a page does not know', () => {
  it('is refused, or stands on the page', async () => {
    const silent: string[] = [];
    const wanted = [...asked].flatMap(([route, names]) =>
      [...names].filter(([name]) => !OTHERWISE.has(`${route} ${name}`)),
    );
    for (const [name, example] of wanted) {
      const url = new URL(example, site.url);
      url.searchParams.set(name, ODD);
      const answer = await get(url.pathname + url.search);
      const words = readable(await answer.text());
      const isRefused = [400, 404, 409].includes(answer.status);
      const isShown = answer.status === 200 && words.includes(ODD);
      if (!isRefused && !isShown) silent.push(`${url.pathname}${url.search} ${answer.status}`);
    }
    expect(wanted.length).toBeGreaterThan(50);
    expect(silent).toEqual([]);
  });
});
