/** The shop: a customer chooses a shipping method and places an order. */
export const shopPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>A small shop</title>
    <link rel="icon" href="data:," />
    <style>
      body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui }
      label { display: flex; gap: 0.5rem; padding: 0.4rem 0 }
      small { display: block }
      label span { flex: 1; overflow-wrap: anywhere }
      button { font: inherit; padding: 0.4rem 1rem }
      form:has(#methods:empty) { display: none }
    </style>
  </head>
  <body>
    <h1>A small shop</h1>
    <p>A demo: you get no goods, and pay no money.</p>
    <form>
      <fieldset>
        <legend>How should we ship your order?</legend>
        <div id="methods"></div>
      </fieldset>
      <p><button>Place the order</button></p>
    </form>
    <p role="status"></p>
    <p>For the staff: <a href="./shipping?project=demo">the shipping methods</a>, <a href="./docs">the API</a></p>
    <script type="module">
      const form = document.querySelector('form');
      const methods = document.querySelector('#methods');
      const status = document.querySelector('[role=status]');
      const element = (tag, values, ...content) => {
        const made = Object.assign(document.createElement(tag), values);
        made.append(...content);
        return made;
      };
      const button = (text, onclick) => element('button', { onclick }, text);

      let choices = [];
      async function load(reason = '') {
        methods.replaceChildren();
        status.textContent = 'Loading …';
        const response = await fetch('./shops/demo/methods').catch(() => Response.error());
        if (!response.ok) return status.replaceChildren('We could not load this. ', button('Try again', () => load(reason)));
        choices = await response.json();
        const option = ({ label, delivery, price }, index) => element('label', {},
          element('input', { type: 'radio', name: 'method', value: index, checked: index === 0 }),
          element('span', {}, label, ' ', element('small', {}, delivery ?? '')), price ?? '');
        methods.append(...choices.map(option));
        status.textContent = choices.length > 0 ? reason : 'We cannot ship at the moment.';
      }

      // A repeat has the same key, so it places no second order.
      let key = crypto.randomUUID();
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const { carrier_code, method_code } = choices[new FormData(form).get('method')];
        form.inert = true;
        status.textContent = 'Placing the order …';
        const headers = { 'content-type': 'application/json', 'idempotency-key': key };
        const body = JSON.stringify({ carrier_code, method_code });
        const response = await fetch('./shops/demo/orders', { method: 'POST', headers, body }).catch(() => Response.error());
        const { order_id: order, detail } = await response.json().catch(() => ({}));
        form.inert = false;
        if (response.status === 409) return load(detail);
        if (!order) return (status.textContent = 'We do not know whether your order is placed. Try again: we never place it twice.');
        key = crypto.randomUUID();
        methods.replaceChildren();
        const href = './shipping?' + new URLSearchParams({ project: 'demo', order });
        status.replaceChildren('Order ' + order + ' is placed. ',
          element('a', { href }, 'For the staff: its history'), ' ', button('New order', () => load()));
      });
      await load();
    </script>
  </body>
</html>
`;
