import htm from 'htm';
import { Component, h, render } from 'preact';
import { settings, t } from './settings.js';

export { Component, render };
export const html = htm.bind(h);

/**
 * A section of the page. Its method `read` returns its state. If `load` is called again before it has ended, the last
 * call wins. During an outage, `load` runs again every 3 s.
 */
export class Section extends Component {
  componentDidMount() {
    this.load();
  }

  componentWillUnmount() {
    clearTimeout(this.timer);
    this.latest = undefined;
  }

  getSnapshotBeforeUpdate() {
    return document.activeElement !== document.body;
  }

  /** If what had the focus is gone, the heading of the section gets it. */
  componentDidUpdate(_props, _state, hadFocus) {
    if (hadFocus && document.activeElement === document.body) document.getElementById(this.heading).focus();
  }

  load = async () => {
    clearTimeout(this.timer);
    const reading = this.read();
    this.latest = reading;
    const result = await reading.catch((problem) => ({ problem }));
    if (reading !== this.latest) return;
    const { status, isOutage } = result.problem ?? {};
    if (status === 401 && !document.querySelector('dialog')) return this.props.refuse(result.problem);
    this.setState({ problem: undefined, ...result });
    if (isOutage) this.timer = setTimeout(this.load, 3_000);
  };

  /** Shows that the section is loading, or why it cannot load. */
  waiting({ problem } = this.state) {
    if (!problem) return html`<p aria-busy="true">${t('loading')}</p>`;
    // A backend that hides projects responds with 404 in place of 403.
    const isRefused = [403, 404].includes(problem.status);
    const other = () => this.props.refuse(problem);
    return html`
      <div class="state" role="alert">
        <h3>${problem.message}</h3>
        ${problem.isOutage && t('outage_hint')}
        ${isRefused && t('status_403_hint')}
        ${isRefused && settings.login === 'bearer' && html`<p><button onClick=${other}>${t('other_token')}</button></p>`}
      </div>`;
  }
}

/** Leads to the login page of the backend, and from there back to this view. */
export function SignIn({ target }) {
  const page = encodeURIComponent(location.pathname + location.search);
  const href = settings.signInUrl?.replace('{page}', page);
  return href && html`<a href=${href} target=${target}>${t('sign_in')}</a>`;
}

/** Returns the values of a form, and keeps the browser from sending them: the page does that. */
export function formValues(event) {
  event.preventDefault();
  const { currentTarget } = event;
  return Object.fromEntries(new FormData(currentTarget.form ?? currentTarget));
}

/** The second click of a double click must not press the opposite button, which has come in its place. */
export const once = (act) => (event) => event.detail < 2 && act(event);

export const words = (name) => name.replaceAll(/[._]/g, ' ');
export const sentence = (type) => words(type).replace(/^./, (first) => first.toUpperCase());

/** Returns a text for people for any JSON value. The names in it are the shop's own words, so yes and no are signs. */
export function asText(value) {
  if (Array.isArray(value)) return value.map(asText).join(', ') || '–';
  if (value instanceof Object) return asText(Object.entries(value).map(([name, part]) => `${words(name)} ${asText(part)}`));
  if (typeof value === 'boolean') return value ? '✓' : '✗';
  return String(value ?? '') || '–';
}

/** A text of several lines comes last, and has the whole width. */
export function Pairs({ of }) {
  const pairs = Object.entries(of).map(([name, value]) => [name, asText(value)]);
  const hasLines = ([, text]) => text.includes('\n');
  const pair = ([name, text]) => html`
    <div key=${name} class=${hasLines([name, text]) && 'lines'}><dt>${words(name)}</dt> <dd dir="auto">${text}</dd></div>`;
  return html`<dl>${pairs.toSorted((a, b) => hasLines(a) - hasLines(b)).map(pair)}</dl>`;
}

/** Preact calls the same function only once. So a closed dialog does not open again. */
const showModal = (dialog) => {
  if (!dialog) return;
  dialog.showModal();
  document.activeElement.select?.();
};

/** An input method for Chinese, Japanese or Korean takes this key, for instance to throw away a half-typed word. */
export const isForInputMethod = ({ keyCode }) => keyCode === 229;

export const closeDialog = () => document.querySelector('dialog')?.close();

/**
 * The browser keeps the focus inside the dialog, and restores it when the dialog is closed.
 * @param cancel what Escape does. A browser lets a page refuse Escape only once, so the key does not get to it.
 */
export function Dialog({ title, onClose, cancel = closeDialog, children }) {
  // The event comes late: another dialog may have replaced this one.
  const close = ({ currentTarget }) => currentTarget.isConnected && onClose();
  const escape = (event) => {
    if (event.type === 'keydown' && event.key !== 'Escape') return;
    event.preventDefault();
    if (!isForInputMethod(event)) cancel();
  };
  return html`
    <dialog ref=${showModal} aria-label=${title} onClose=${close} onCancel=${escape} onKeyDown=${escape}>
      <article><h2>${title}</h2>${children}</article>
    </dialog>`;
}

/** An input with its label and the violations that name it. Its children stand beside the label. */
export function Field({ tag = 'input', isWide, label, hint, violations, children, ...input }) {
  const id = `field-${input.name}`;
  const described = { 'aria-describedby': `${id}-notes`, 'aria-invalid': violations.length > 0 ? 'true' : null };
  return html`
    <div class=${isWide ? 'field wide' : 'field'}>
      <div class="bar"><label for=${id}>${label}</label>${children}</div>
      <${tag} id=${id} dir="auto" autocomplete="off" spellcheck=${false} ...${described} ...${input} />
      <div id="${id}-notes">
        ${violations.map((violation) => html`<p key=${violation} class="violation">${violation}</p>`)}
        ${hint && html`<small>${hint}</small>`}
      </div>
    </div>`;
}
