import { linesOf, same } from './meta-lines.js';
import { storedIn } from './method.js';
import { t } from './settings.js';
import { asText, html } from './view.js';

/** The fields of a method that somebody else or the user has changed. */
export function Comparison({ names, was, is, yours }) {
  const row = (name) => {
    // If the shown values are equal, the stored values may still differ. Then the row compares the stored values.
    const versions = [[was, is], [was, is].map(storedIn)];
    const isChange = ([before, now]) => !same(before[name], now[name]);
    const [before, now] = versions.find(isChange) ?? (name in yours ? versions[0] : []);
    if (!before) return null;
    const text = (values) => (name === 'meta' && linesOf(values.meta)) || asText(values[name]);
    return html`
      <tr key=${name}>
        <th scope="row">${t(name)}</th>
        <td dir="auto">${text(before)}</td>
        <td dir="auto">${isChange([before, now]) ? html`<b>${text(now)}</b>` : text(now)}</td>
        <td dir="auto">${name in yours ? text(yours) : t('no_change')}</td>
      </tr>`;
  };
  return html`
    <table>
      <thead>
        <tr><th>${t('field')}</th><th>${t('when_opened')}</th><th>${t('now')}</th><th>${t('your_change')}</th></tr>
      </thead>
      <tbody>${names.map(row)}</tbody>
    </table>`;
}
