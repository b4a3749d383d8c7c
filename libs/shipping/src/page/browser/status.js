import { t } from './settings.js';
import { html, once, render } from './view.js';

const line = document.querySelector('output');
let notices = [];
let timer;

/**
 * Shows a text in the status line. An error stays until the user closes it or changes something else. Another text goes
 * when the next one comes, or after a few seconds, but not while the line has the focus or the pointer is over it.
 * @param {string | undefined} text
 * @param {{ isError?: boolean, isBusy?: boolean, isUndone?: boolean, undo?: () => unknown }} [options] `undo` takes back
 *   what the text reports; with `isUndone`, it does again what was taken back
 */
export function notify(text, { isError = false, isBusy = false, isUndone = false, undo } = {}) {
  const errors = notices.filter((notice) => notice.isError && notice.text !== text);
  show(text ? [...errors, { text, isError, isBusy, isUndone, undo }] : errors);
  clearTimeout(timer);
  if (!isError && !isBusy) timer = setTimeout(leave, undo ? 20_000 : 8_000);
}

export const clearErrors = () => show(notices.filter(({ isError }) => !isError));

function leave() {
  if (line.matches(':focus-within, :hover')) timer = setTimeout(leave, 8_000);
  else notify('');
}

function show(next) {
  notices = next;
  render(notices.map(noticeOf), line);
  // The line must not hide the row that has the focus.
  document.documentElement.style.scrollPaddingBottom = `${line.offsetHeight}px`;
  const row = document.querySelector('.methods > :focus-within')?.getBoundingClientRect();
  const hidden = row?.bottom - line.getBoundingClientRect().top;
  if (hidden > 0 && row.top < innerHeight) scrollBy(0, hidden);
}

function noticeOf(notice) {
  const { text, isError, isBusy, isUndone, undo } = notice;
  const keys = isUndone ? ['Control+Shift+Z', t('redo')] : ['Control+Z', t('undo')];
  const close = () => show(notices.filter((each) => each !== notice));
  const takeBack = () => {
    // The button goes. Ctrl+Z leaves the focus where it is.
    if (line.contains(document.activeElement)) document.querySelector('#methods')?.focus();
    close();
    undo();
  };
  return html`
    <p key=${isBusy ? 'busy' : text} class=${isError ? 'failed' : isBusy && 'busy'}>
      <span dir="auto">${text}</span>
      ${undo && html`<button class="quiet" aria-keyshortcuts=${keys[0]} title=${keys[0]} onClick=${once(takeBack)}>${keys[1]}</button>`}
      ${!isBusy && html`<button class="quiet" aria-label=${t('close')} onClick=${close}>✕</button>`}
    </p>`;
}

addEventListener('keydown', (event) => {
  // A keyboard without Latin letters, which end at U+024F, has no key "z". There, the place of the key counts.
  const isZ = ({ key, code }) => key.toLowerCase() === 'z' || (code === 'KeyZ' && key > '\u024F');
  // When the browser fills in a field, it sends an event without a key.
  const isUndo = (event.ctrlKey || event.metaKey) && isZ(event);
  const isTyping = event.target.matches('textarea, select, input:not([role=switch])');
  const buttons = line.querySelectorAll(`[aria-keyshortcuts='Control+${event.shiftKey ? 'Shift+' : ''}Z']`);
  if (!isUndo || isTyping || document.querySelector('dialog[open]')) return;
  // Without a button, the browser would bring back an old search.
  event.preventDefault();
  // Above the last notice may be errors of earlier changes.
  [...buttons].at(-1)?.click();
});
