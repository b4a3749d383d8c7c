/** The shop: a customer chooses a shipping method and places an order. */
export const shopPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>A shop</title>
    <link rel="icon" href="data:," />
  </head>
  <body style="max-width: 40rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui">
    <h1>A shop</h1>
    <form>
      <p><label>Shipping method <select name="method" required></select></label></p>
      <button>Place an order</button>
    </form>
    <p role="status"></p>
    <p>For the staff: <a href="./shipping?project=demo&amp;order=1001">shipping methods and histories</a>,
      <a href="./docs">the API</a></p>
    <script type="module">
      const form = document.querySelector('form');
      const status = document.querySelector('[role=status]');
      const choices = await (await fetch('./shops/demo/methods')).json();
      for (const [index, { label }] of choices.entries()) form.method.add(new Option(label, index));

      // A repeat of the request has the same key, so it places no second order.
      let key = crypto.randomUUID();
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        const response = await fetch('./shops/demo/orders', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify(choices[form.method.value]),
        });
        const { order_id: order, detail } = await response.json();
        if (!response.ok) return (status.textContent = detail);
        key = crypto.randomUUID();
        const link = document.createElement('a');
        link.href = './shipping?' + new URLSearchParams({ project: 'demo', order });
        link.textContent = 'The order is placed: see its history.';
        status.replaceChildren(link);
      });
    </script>
  </body>
</html>
`;
