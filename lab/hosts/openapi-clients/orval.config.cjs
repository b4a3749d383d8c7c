const { DOCUMENT: target, CLIENT, MUTATOR: path } = process.env;

module.exports = {
  shipping: {
    input: { target },
    output: {
      target: CLIENT,
      client: 'fetch',
      mode: 'single',
      override: { mutator: { path, name: 'request', extension: '.js' } },
    },
  },
};
