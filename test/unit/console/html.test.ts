/** Guarantee: no string from outside becomes markup, whatever it holds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../src/base/kernel/counted.ts';
import { html } from '../../../src/base/kernel/html.ts';
import { formatsOf, inFormats } from '../../../src/surface/view/locale.ts';

describe('html', () => {
  it('escapes text and attribute values', () => {
    const text = `<img src=x onerror="a('b')">&`;
    expect(html`<p title="${text}">${text}</p>`.toString()).toBe(
      '<p title="&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;">&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;</p>',
    );
  });

  it('keeps nested templates and joins lists', () => {
    expect(html`<ul>${['a', '<b>'].map((item) => html`<li>${item}</li>`)}</ul>`.toString()).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>',
    );
  });

  it('lets no text turn round what stands around it', () => {
    const issuer = '\u202Emoc.kniht \u2067x\u2069';
    expect(html`<p>${issuer} asks for ${['$29.00']}</p>`.toString()).toBe(
      '<p>\uFFFDmoc.kniht \uFFFDx\uFFFD asks for $29.00</p>',
    );
    expect(html`<p title="a > b"><input value="${issuer}"></p>`.toString()).toContain(issuer);
    // Arabic is right-to-left by itself.
    expect(html`<p>${'متجر'}</p>`.toString()).toBe('<p>متجر</p>');
  });

  it('shows nothing for null, undefined and false, and 0 for 0', () => {
    expect(html`[${null}${undefined}${false}${0}]`.toString()).toBe('[0]');
  });

  it('writes a number between tags for people, in the formats of the page, and as it is in a tag', async () => {
    const count = 1_234_567;
    const cell = () => html`<td data-count="${count}">${count} of ${[9_999, 12]}</td>`.toString();
    expect(cell()).toBe('<td data-count="1234567">1,234,567 of 9,99912</td>');
    // An attribute that is put in as a piece of its own.
    const limit = html` max="${count}" title="${'a "b" '}${count}"`;
    expect(html`<meter${limit}>`.toString()).toBe(
      '<meter max="1234567" title="a &quot;b&quot; 1234567">',
    );
    expect(html`He said "${count}"`.toString()).toBe('He said "1,234,567"');
    expect(counted(12_345, 'order')).toBe('12,345 orders');
    const german = formatsOf({ get: () => 'de' } as never);
    await inFormats(german, async () => {
      expect(cell()).toBe('<td data-count="1234567">1.234.567 of 9.99912</td>');
      expect(counted(12_345, 'order')).toBe('12.345 orders');
    });
    expect(html`${0.12345} ${-1_234.5} ${999}`.toString()).toBe('0.12345 -1234.5 999');
  });

  it('does not take an object that looks like markup for markup', () => {
    const forged = { toString: () => '<script>' } as never;
    expect(() => html`${forged}`.toString()).toThrow(TypeError);
  });

  it('lets no character through that opens a tag or closes an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // In a form: what comes back from it is what stood there.
        const inside = html`<input value="${text}">`.toString().slice('<input value="'.length, -2);
        expect(inside).not.toMatch(/[<>"']/);
        const back = inside
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        expect(back).toBe(text);
      }),
    );
  });
});
