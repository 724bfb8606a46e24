/**
 * What the sandbox's pages do in the browser: buttons that copy, and lists that follow the sandbox. Every
 * page works without it.
 */
const FOLLOW_MS = 2000;

function addCopyButton(code) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy ${code.dataset.copy}`);
  button.addEventListener('click', async () => {
    const worked = await copy(code);
    button.textContent = worked ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  code.after(button);
}

/** Browsers offer the clipboard to this machine and to HTTPS only; elsewhere the text is marked. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}

/** Whether somebody is in the middle of something there. */
function isBusy(part) {
  if (part.contains(document.activeElement) && document.activeElement !== document.body)
    return true;
  const selection = getSelection();
  if (!selection.isCollapsed && part.contains(selection.anchorNode)) return true;
  return [...part.querySelectorAll('input, select')].some((field) =>
    field.tagName === 'SELECT'
      ? [...field.options].some((option) => option.selected !== option.defaultSelected) &&
        [...field.options].some((option) => option.defaultSelected)
      : field.value !== field.defaultValue,
  );
}

const shown = new Map();

async function follow() {
  if (document.hidden) return;
  const response = await fetch(location.pathname);
  if (!response.ok) return;
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(part.id);
    if (next === null || shown.get(part.id) === next.innerHTML || isBusy(part)) continue;
    shown.set(part.id, next.innerHTML);
    const open = [...part.querySelectorAll('details[open]')].map(({ id }) => id);
    part.replaceChildren(...next.childNodes);
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
  }
}

for (const code of document.querySelectorAll('[data-copy]')) addCopyButton(code);
for (const part of document.querySelectorAll('[data-live]')) shown.set(part.id, part.innerHTML);
// The sandbox may be away for a moment; the next round finds it again.
setInterval(() => follow().catch(() => undefined), FOLLOW_MS);
// A message belongs to one press of a button, not to the address.
if (location.search !== '') history.replaceState(null, '', location.pathname);
