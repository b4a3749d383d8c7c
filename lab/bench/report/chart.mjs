import { short } from './rows.mjs';

const groups = {
  'list of 20, warm, 64 connections': ['A list of 20 methods', 'the project is in memory'],
  'tree of 100, warm': ['The tree of 100 methods', 'the project is in memory'],
  'list with `q` and a filter that change, warm': ['A list with a new search', 'the project is in memory'],
  'list of 20, cold, shops of 20': ['A list of 20 methods', 'not in memory, 20 methods'],
  'list of 20, cold, shops of 100': ['A list of 20 methods', 'not in memory, 100 methods'],
  'tree, cold, shops of 100': ['The tree of 100 methods', 'not in memory'],
  'events of an order (20)': ['The history of an order', '20 events, never in memory'],
  'create, 16 connections, many projects': ['Create a method', '16 clients, many projects'],
  'update, 16 connections, many projects': ['Update a method', '16 clients, many projects'],
};

const bars = {
  ours: ['ours', 'nestjs-shipping'],
  bare: ['bare', 'Fastify + pg, by hand'],
  naive: ['naive', 'Nest + Fastify + TypeORM, by hand'],
};

const left = 260;
const width = 820;
const barHeight = 14;
const groupHeight = 3 * (barHeight + 2) + 22;
const top = 74;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 17px; font-weight: 600 }
  .small { font-size: 11px; fill: #59636e } .ours { fill: #0969da } .bare { fill: #8c959f } .naive { fill: #d4a72c }
  .value { font-size: 11px } .ground { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 } .ours { fill: #4493f8 } .bare { fill: #656c76 }
    .naive { fill: #bb8009 } .ground { fill: #0d1117 }
  }`;

/** Draws bars for the requests per second. The bar of the bare rival is 1 in every group. */
export function chart(rows) {
  const shown = Object.entries(groups)
    .map(([title, words]) => [words, multiplesOf(rows.filter((row) => row.title === title))])
    .filter(([, multiples]) => multiples);
  const largest = Math.max(1, ...shown.flatMap(([, multiples]) => Object.values(multiples)));
  const scale = (width - left - 60) / largest;
  const height = top + shown.length * groupHeight + 6;
  const title = 'Requests a second: a longer bar is faster (Fastify + pg by hand is 1)';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${style}
</style>
<rect class="ground" width="${width}" height="${height}" rx="6"/>
<text class="title" x="16" y="28">${title}</text>
${legend()}
${shown.map(([words, multiples], index) => group(words, multiples, top + index * groupHeight, scale)).join('\n')}
</svg>
`;
}

function multiplesOf(rows) {
  const ratioTo = (rival) => Number(rows.find((row) => row.rival === rival)?.ours);
  const ours = ratioTo('bare');
  return ours && { ours, bare: 1, naive: ours / ratioTo('naive') };
}

function legend() {
  return Object.values(bars)
    .map(([kind, name], index) => {
      const x = 16 + [0, 150, 320][index];
      return `<rect class="${kind}" x="${x}" y="42" width="12" height="12" rx="2"/><text class="small" x="${x + 18}" y="52">${name}</text>`;
    })
    .join('\n');
}

function group([what, when], multiples, y, scale) {
  const lines = Object.entries(bars).map(([name, [kind]], index) => {
    const value = multiples[name];
    const barY = y + index * (barHeight + 2);
    const length = Math.max(2, value * scale).toFixed(1);
    return (
      `<rect class="${kind}" x="${left}" y="${barY}" width="${length}" height="${barHeight}" rx="2"/>` +
      `<text class="value" x="${left + Number(length) + 6}" y="${barY + 11}">${short(value)}</text>`
    );
  });
  return `<text x="16" y="${y + 18}">${what}</text><text class="small" x="16" y="${y + 34}">${when}</text>\n${lines.join('\n')}`;
}
