import { t } from './settings.js';
import { html, render } from './view.js';

const line = document.querySelector('output');
let notices = [];
let timer;

/**
 * Shows a text in the status line. An error stays until the user closes it. Another text goes when the next one comes,
 * or after some seconds, but not while the line has the focus or the pointer is over it.
 * @param undo takes back what the text reports
 */
export function notify(text, { isError = false, isBusy = false, undo } = {}) {
  const errors = notices.filter((notice) => notice.isError && notice.text !== text);
  show(text ? [...errors, { text, isError, isBusy, undo }] : errors);
  clearTimeout(timer);
  if (!isError && !isBusy) timer = setTimeout(leave, undo ? 20_000 : 8_000);
}

function leave() {
  if (line.matches(':focus-within, :hover')) timer = setTimeout(leave, 8_000);
  else notify('');
}

function show(next) {
  notices = next;
  render(notices.map(noticeOf), line);
}

function noticeOf(notice) {
  const { text, isError, isBusy, undo } = notice;
  const close = () => show(notices.filter((each) => each !== notice));
  const takeBack = () => {
    close();
    undo();
  };
  return html`
    <p key=${isBusy ? 'busy' : text} class=${isError ? 'failed' : isBusy && 'busy'}>
      <span dir="auto">${text}</span>
      ${undo && html`<button class="quiet" aria-keyshortcuts="Control+Z" title="Ctrl+Z" onClick=${takeBack}>${t('undo')}</button>`}
      ${!isBusy && html`<button class="quiet" aria-label=${t('close')} onClick=${close}>✕</button>`}
    </p>`;
}

addEventListener('keydown', (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'z';
  const isTyping = event.target.matches('textarea, select, input:not([role=switch])');
  const button = line.querySelector('[aria-keyshortcuts]');
  if (!isUndo || isTyping || !button || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  button.click();
});
