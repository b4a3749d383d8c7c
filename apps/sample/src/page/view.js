import htm from './vendor/htm.mjs';
import { Component, h, render } from './vendor/preact.mjs';

/** With a bundler, these are `htm/preact` and `preact`. */
export { Component, render };
export const html = htm.bind(h);

const notice = document.querySelector('output');
export const tell = (text) => (notice.textContent = text);

const words = (name) => name.replaceAll(/[._]/g, ' ');
export const sentence = (type) => words(type).replace(/^./, (first) => first.toUpperCase());

/** Any JSON as a reader says it. */
export function said(value) {
  if (Array.isArray(value)) return value.map(said).join(', ');
  if (value instanceof Object) return said(Object.entries(value).map(([name, part]) => `${words(name)} ${said(part)}`));
  return { true: 'yes', false: 'no', null: '–' }[value] ?? String(value);
}

export const Pairs = ({ of }) => html`
  <dl>
    ${Object.entries(of).map(([name, value]) => html`<div key=${name}><dt>${words(name)}</dt> <dd>${said(value)}</dd></div>`)}
  </dl>`;

/** What a section says while it cannot show what it was asked for. */
export function Waiting({ what, problem }) {
  if (!problem) return html`<p aria-busy="true">Loading ${what} …</p>`;
  return html`
    <div class="state" role="alert">
      <h3>${problem.isOutage ? 'The shop cannot be reached just now' : 'The answer was a refusal'}</h3>
      <p>${problem.message} ${problem.isOutage && 'This page tries again every few seconds. Nothing is lost.'}</p>
    </div>`;
}

/** The browser keeps the focus inside, and gives it back when the dialog is closed. */
export const Dialog = ({ title, onClose, children }) => html`
  <dialog ref=${(dialog) => dialog?.open === false && dialog.showModal()} aria-label=${title} onClose=${onClose}>
    <article><h2>${title}</h2>${children}</article>
  </dialog>`;
export const closeDialog = () => document.querySelector('dialog').close();

/** An input with its label, its hint and the faults that name it. */
export function Field({ tag = 'input', label, hint, faults, children, ...input }) {
  const id = `field-${input.name}`;
  const described = { 'aria-describedby': `${id}-notes`, 'aria-invalid': faults.length > 0 ? 'true' : null };
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <${tag} id=${id} autocomplete="off" spellcheck=${false} ...${described} ...${input} />
      <div id="${id}-notes">
        ${faults.map((fault) => html`<p key=${fault} class="fault">${fault}</p>`)}
        ${children}
        <small>${hint}</small>
      </div>
    </div>`;
}
