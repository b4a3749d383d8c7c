import htm from './vendor/htm.mjs';
import { Component, h, render } from './vendor/preact.mjs';

/** With a bundler, these are `htm/preact` and `preact`. */
export { Component, render };
export const html = htm.bind(h);

const words = (name) => name.replaceAll(/[._]/g, ' ');

/** Any JSON as a reader says it. */
export function said(value) {
  if (Array.isArray(value)) return value.map(said).join(', ');
  if (value instanceof Object)
    return Object.entries(value)
      .map(([name, part]) => `${words(name)} ${said(part)}`)
      .join(', ');
  return { true: 'yes', false: 'no', null: '–' }[value] ?? String(value);
}

export const sentence = (type) => words(type).replace(/^./, (first) => first.toUpperCase());

export const Pairs = ({ of }) =>
  html`<dl class="pairs">${Object.entries(of).map(([name, value]) => html`<div key=${name}><dt>${words(name)}</dt><dd>${said(value)}</dd></div>`)}</dl>`;

/** Says that nobody answered. The caller's reader tries again by itself. */
export const Outage = ({ problem, retry }) => html`<article class="state" role="alert">
  <h3>${problem.isOutage ? 'The shop cannot be reached just now' : 'The answer was a refusal'}</h3>
  <p>${problem.message} ${problem.isOutage && 'This page tries again every few seconds. Nothing is lost.'}</p>
  <button class="outline" onClick=${retry}>Try again now</button>
</article>`;

export const Loading = ({ what }) =>
  html`<div class="loading"><p aria-busy="true">Loading ${what} …</p>${[1, 2, 3].map((line) => html`<i key=${line}></i>`)}</div>`;

/** A modal dialog: the browser keeps the focus inside, and gives it back. */
export const Dialog = ({ title, onClose, mayClose = () => true, children }) => html`
  <dialog ref=${(dialog) => dialog && !dialog.open && dialog.showModal()} aria-label=${title} onClose=${onClose}
    onCancel=${(event) => mayClose() || event.preventDefault()}>
    <article><h2>${title}</h2>${children}</article>
  </dialog>`;

/** An input with its label, its hint and the violations that name it. */
export function Field({ label, hint, faults = [], children, ...input }) {
  const id = `field-${input.name}`;
  const notes = [hint && `${id}-hint`, faults.length > 0 && `${id}-faults`].filter(Boolean).join(' ');
  return html`<div class="field">
    <label for=${id}>${label}</label>
    <input id=${id} aria-describedby=${notes || null} aria-invalid=${faults.length > 0 ? 'true' : null} autocomplete="off" spellcheck=${false} ...${input} />
    ${children}
    ${hint && html`<small id="${id}-hint">${hint}</small>`}
    ${faults.length > 0 && html`<small id="${id}-faults" class="fault">${faults.map(({ detail }) => detail).join(' ')}</small>`}
  </div>`;
}

export const faultsAt = (errors, pointer) =>
  errors.filter((error) => error.pointer === pointer || error.pointer?.startsWith(`${pointer}/`));
