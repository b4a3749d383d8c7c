/** One static page that reads the routes as any client does; in a string, so that the build needs no assets. */
export const consolePage = String.raw`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shipping console</title>
<link rel="icon" href="data:,">
<style>
  :root { color-scheme: light dark; --line: light-dark(#d5d9de, #3a4048); --dim: light-dark(#5b6470, #a2abb6);
    --card: light-dark(#fff, #1c2025); --link: light-dark(#0b57d0, #8ab4f8); }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem;
    background: light-dark(#f5f6f8, #121417); color: light-dark(#1b1f24, #e8eaed); }
  header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; justify-content: space-between; }
  h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; } h3 { font-size: 1rem; margin: 0; }
  a { color: var(--link); }
  form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
  label { display: grid; font-size: .85rem; color: var(--dim); }
  input, button { font: inherit; padding: .35rem .6rem; border: 1px solid var(--dim); border-radius: .4rem; }
  section > div { display: grid; gap: .6rem; }
  article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .6rem .9rem; }
  ul { margin: .3rem 0 0; padding: 0; list-style: none; }
  li { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; padding: .15rem 0; }
  code { font-size: .85rem; color: var(--dim); overflow-wrap: anywhere; }
  .mark { font-size: .75rem; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; color: var(--dim); }
  .off { opacity: .75; text-decoration: line-through; }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
</style>
</head>
<body>
<header><h1>Shipping console</h1><nav><a href="/docs">API documentation</a> · <a href="/openapi.json">openapi.json</a></nav></header>
<main>
<form>
  <label>Project <input name="project" value="demo" required maxlength="64" autocomplete="off"></label>
  <label>Order <input name="order" value="1001" maxlength="64" autocomplete="off"></label>
  <button>Show</button>
</form>
<section aria-labelledby="methods"><h2 id="methods">Carriers and methods</h2><div id="tree" aria-live="polite"></div></section>
<section aria-labelledby="history"><h2 id="history">History of the order</h2><div id="events" aria-live="polite"></div></section>
</main>
<script type="module">
  const form = document.querySelector('form');
  const wanted = new URLSearchParams(location.search);
  for (const input of form.querySelectorAll('input')) input.value = wanted.get(input.name) ?? input.value;

  // Text only ever becomes text: labels and events are other people's words.
  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children.filter((child) => child !== null));
    return made;
  }
  const mark = (text) => element('span', { className: 'mark' }, text);

  async function read(path) {
    const response = await fetch(path, { headers: { accept: 'application/json' } });
    const body = await response.json();
    if (!response.ok) throw new Error(body.detail ?? 'The server answered ' + response.status + '.');
    return body.data;
  }

  function method(it) {
    return element('li', {},
      element('span', { className: it.is_active ? '' : 'off' }, it.method_label),
      element('code', {}, it.method_code),
      it.is_active ? null : mark('inactive'),
      it.inherited.length > 0 ? mark('from default: ' + it.inherited.join(', ')) : null,
      element('code', {}, 'order ' + it.sort_order + (Object.keys(it.meta).length ? ' · ' + JSON.stringify(it.meta) : '')));
  }

  function carrier(it) {
    return element('article', {},
      element('h3', {}, it.carrier_label + ' ', element('code', {}, it.carrier_code), ' ', it.is_active ? null : mark('inactive')),
      element('ul', {}, ...it.methods.map(method)));
  }

  function event(it) {
    const who = it.actor ? it.actor.label ?? it.actor.id ?? it.actor.type : 'unknown';
    return element('article', {},
      element('h3', {}, it.type + ' ', element('time', { dateTime: it.occurred_at }, element('code', {}, it.occurred_at.replace('T', ' ')))),
      it.message === null ? null : element('div', {}, it.message),
      element('code', {}, who + (Object.keys(it.data).length ? ' · ' + JSON.stringify(it.data) : '')));
  }

  async function show(id, path, one, none) {
    const place = document.getElementById(id);
    try {
      const data = await read(path);
      place.replaceChildren(...(data.length > 0 ? data.map(one) : [none]));
    } catch (error) {
      place.replaceChildren(element('p', { role: 'alert' }, error.message));
    }
  }

  function showAll() {
    const orders = '/api/projects/' + encodeURIComponent(form.project.value) + '/sales/orders/';
    show('tree', orders + 'shipments/methods/tree', carrier, 'This project has no shipping methods.');
    if (!form.order.value) document.getElementById('events').replaceChildren('No order chosen.');
    else show('events', orders + encodeURIComponent(form.order.value) + '/events', event, 'This order has no events.');
  }

  form.addEventListener('submit', (submitted) => {
    submitted.preventDefault();
    history.replaceState(null, '', '?' + new URLSearchParams(new FormData(form)));
    showAll();
  });
  showAll();
</script>
</body>
</html>
`;
