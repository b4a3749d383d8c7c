// The stored data as a function of numbers, so that the loader (in SQL) and the load generator (in JavaScript) agree
// on every project, method and order.

const carriers = [
  ['ups', 'UPS'],
  ['fedex', 'FedEx'],
  ['dhl', 'DHL Express'],
  ['usps', 'United States Postal Service'],
  ['dpd', 'DPD'],
  ['gls', 'GLS'],
  ['hermes', 'Hermes'],
  ['postnl', 'PostNL'],
  ['bpost', 'bpost'],
  ['colissimo', 'La Poste Colissimo'],
  ['chronopost', 'Chronopost'],
  ['mondial_relay', 'Mondial Relay'],
  ['royal_mail', 'Royal Mail'],
  ['evri', 'Evri'],
  ['correos', 'Correos'],
  ['seur', 'SEUR'],
  ['inpost', 'InPost'],
  ['postnord', 'PostNord'],
  ['bring', 'Bring'],
  ['swiss_post', 'Die Schweizerische Post'],
  ['austrian_post', 'Österreichische Post'],
  ['canada_post', 'Canada Post'],
  ['auspost', 'Australia Post'],
  ['japan_post', '日本郵便'],
  ['sf_express', 'SF Express'],
];

const services = [
  ['ground', 'Ground', 3, 5],
  ['express', 'Express', 1, 2],
  ['next_day', 'Next Day by 12:00', 1, 1],
  ['economy', 'Economy', 5, 9],
  ['locker', 'To a Parcel Locker', 2, 4],
  ['pickup_point', 'To a Pick-up Point', 2, 4],
  ['freight', 'Freight', 4, 8],
  ['international', 'International Priority', 4, 12],
];

/** Each carrier with each of its services: 200 methods that a shop picks from. */
export const catalogue = carriers.flatMap(([carrier_code, carrier_label]) =>
  services.map(([method_code, service, min, max]) => ({
    carrier_code,
    carrier_label,
    method_code,
    method_label: `${carrier_label} ${service}`,
    meta: { days: { min, max }, tracking: true, countries: ['DE', 'FR', 'NL'] },
  })),
);

/** How far two neighbouring shops are apart in the catalogue. */
export const stride = 7;

export const methodsPerProject = 100;
export const eventsPerOrder = 20;

/** Projects are numbered: shops from 0, and the large and the written projects from these numbers. */
export const firstLarge = 1_000_000;
export const firstWritten = 2_000_000;
export const projectsWritten = 200;

export const shop = (number) => `shop-${padded(number)}`;
export const large = (methods) => `large-${methods}`;
/** Each contender writes in its own projects, so that none works on rows that another one has changed. */
export const written = (contender, number) => `${contender}-${padded(number)}`;
/** The projects in which creates are measured, and their kinds: with many connections, and with few. */
export const createdIn = (contender, kind, number) => `${contender}-${kind}-${number % 1000}`;
export const emptyProjects = (contender) =>
  ['new', 'few'].flatMap((kind) =>
    Array.from({ length: 1000 }, (_, number) => createdIn(contender, kind, number)),
  );
/** The number of the order with the long history. */
export const longOrder = 99_999;
export const order = (number) => `order-${padded(number)}`;

/** What the project picks from the catalogue at `index`. */
export const pick = (project, index) => catalogue[(project * stride + index) % catalogue.length];

/** The fields of the method at `index` in a project that a client has to know. */
export function method(project, index) {
  const { carrier_code, method_code, method_label } = pick(project, index);
  const id = `0199${hex(project, 8).slice(0, 4)}-${hex(project, 8).slice(4)}-7000-8000-${hex(index, 12)}`;
  return { id, carrier_code, method_code, method_label };
}

export const padded = (number) => String(number).padStart(5, '0');

const hex = (number, digits) => number.toString(16).padStart(digits, '0');
