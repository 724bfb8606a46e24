/** The console's style sheet, as a module so that it is served built and unbuilt alike. */

export const CONSOLE_CSS = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1c1b19; --quiet: #5f5b54; --line: #dcd8d0;
  --accent: #14507a; --bad: #a3190f; --warn: #7a4b00; --good: #1c6132;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #171614; --card: #201f1c; --ink: #eeebe5; --quiet: #aaa59b; --line: #3a3833;
    --accent: #8cc3ec; --bad: #ff9c91; --warn: #f0c070; --good: #8fd3a4;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0.75rem 1rem; }
header { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; align-items: center; }
header form { margin-left: auto; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.1rem; margin: 1.5rem 0 0.5rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
.quiet { color: var(--quiet); }
.banner { border-left: 4px solid var(--warn); background: var(--card); padding: 0.5rem 0.75rem; margin: 0.75rem 0; }
.banner.error { border-color: var(--bad); }
.banner.done { border-color: var(--good); }
.figures, .facts { display: grid; gap: 0.5rem 1.25rem; margin: 0.5rem 0; }
.figures { grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); }
.figures div { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.75rem; }
.figures dd { font-size: 1.3rem; }
.facts { grid-template-columns: minmax(7rem, max-content) 1fr; }
dt { color: var(--quiet); } dd { margin: 0; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; padding: 0; margin: 0.5rem 0; }
nav a[aria-current] { font-weight: 700; text-decoration: none; color: inherit; }
.cases, .timeline { list-style: none; padding: 0; margin: 0; }
.cases li { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem 0.75rem;
  margin-bottom: 0.5rem; display: grid; gap: 0.15rem 1rem; grid-template-columns: 1fr auto; }
.cases .next, .cases .about { grid-column: 1 / -1; }
.amount { font-variant-numeric: tabular-nums; font-weight: 600; text-align: right; }
.left { font-weight: 600; } .left.soon { color: var(--warn); } .left.past { color: var(--bad); }
.state { border: 1px solid currentColor; border-radius: 999px; padding: 0 0.6em; font-size: 0.875rem; white-space: nowrap; }
.state.good { color: var(--good); } .state.warn { color: var(--warn); } .state.bad { color: var(--bad); }
.timeline li { border-left: 2px solid var(--line); padding: 0 0 0.75rem 0.9rem; }
.timeline p { margin: 0; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 0.75rem 0; }
button, .button { font: inherit; padding: 0.5rem 0.9rem; min-height: 2.75rem; border-radius: 6px;
  border: 1px solid var(--accent); background: var(--accent); color: var(--paper); cursor: pointer; text-decoration: none; }
button.plain, .button.plain { background: transparent; color: var(--accent); }
header button { min-height: 2rem; padding: 0.1rem 0.6rem; }
label { display: block; font-weight: 600; margin-top: 0.75rem; }
input, textarea { font: inherit; width: 100%; max-width: 34rem; padding: 0.5rem; border: 1px solid var(--quiet);
  border-radius: 6px; background: var(--card); color: var(--ink); }
code { font-size: 0.9em; }
`;
