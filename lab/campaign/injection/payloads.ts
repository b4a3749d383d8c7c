/** A part of every payload. When it is found in a statement, a client's text has become SQL. */
export const mark = 'zqcanary';

const breakouts = [
  "'",
  '"',
  "')",
  "'))",
  '")',
  '`',
  '\\',
  "\\'",
  '$$',
  "';",
  '");',
  '*/',
  ']',
  '}',
  '0',
  '-1',
];

const statements = [
  'OR 1=1', "OR 'a'='a", 'AND 1=0', 'UNION SELECT NULL,NULL,NULL', 'UNION ALL SELECT word FROM canary',
  '; DROP TABLE canary', '; DELETE FROM shipping_method', '; UPDATE shipping_method SET version = 99',
  "; INSERT INTO canary VALUES (2, 'in')", '; SELECT pg_sleep(9)', '|| pg_sleep(9)', '|| (SELECT word FROM canary)',
  'ORDER BY 99', 'LIMIT 0 OFFSET 9', 'HAVING 1=1', '; COMMIT', '; ROLLBACK', '; TRUNCATE canary CASCADE',
  "; COPY canary TO '/tmp/x'", "= ANY('{a}')", '::text::integer', 'RETURNING *', "LIKE '%'", 'IS NOT NULL',
]; // prettier-ignore

const ends = [` -- ${mark}`, ` /* ${mark} */`, ` # ${mark}`, ` ${mark}`, `;\n${mark}`];

/** Payloads for other languages than SQL, and for other ways to write SQL. */
const oddities = [
  `%${mark}%`, `_${mark}_`, `\\%${mark}`, `${mark}%27 OR 1=1`, `%2527${mark}`, `\u02BC OR 1=1 ${mark}`, `\uFF07 OR ${mark}`,
  `$1 ${mark}`, `$99${mark}`, `:name ${mark}`, `?${mark}`, `@p1 ${mark}`, `{{${mark}}}`, `\${${mark}}`, `#{${mark}}`,
  `$.${mark}`, `$.*.${mark} ? (@ > 0)`, `{"$gt":"${mark}"}`, `{"$where":"${mark}"}`, `->>'${mark}'`, `#>>'{${mark}}'`,
  `__proto__.${mark}`, `__proto__[${mark}]`, `constructor.prototype.${mark}`, `prototype[${mark}]`, `__proto__`,
  `E'\\x27${mark}'`, `U&'\\0027${mark}'`, `chr(39)||${mark}`, `0x27${mark}`, `/**/OR/**/1=1/**/${mark}`, `oR 1=1 ${mark}`,
  `${mark}\u0000'`, `${mark}\r\nSet-Cookie: a=b`, `<!--${mark}-->`, `../../${mark}`, `|${mark}`, `;${mark}`, `&& ${mark}`,
  `(|(uid=*)(${mark}))`, `[${mark}]`, `${mark}'::jsonb`, `')::text) ${mark}`, `"}' ${mark}`, `{1,2,"${mark}`, `NULL,${mark}`,
]; // prettier-ignore

/** Each way to break out of a text with each statement, and an ending from the list: 500 in total. */
export const payloads: readonly string[] = [
  ...oddities,
  ...breakouts.flatMap((breakout, row) =>
    statements.flatMap((statement, column) =>
      [0, 2].map((step) => `${breakout} ${statement}${ends[(row + column + step) % ends.length]}`),
    ),
  ),
].slice(0, 500);
