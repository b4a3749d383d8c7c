// The stored data as a function of numbers, so that the loader and the load generator agree on every project, method
// and order.

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

/** Every carrier with every service. A shop has some of these 200 methods. */
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
const stride = 7;

/** How many methods a large shop has, and how many a small one has. */
export const methodsPerShop = 100;
export const methodsPerSmallShop = 20;
export const eventsPerOrder = 20;
export const ordersPerShop = 2;

/**
 * The cache of the sample cannot hold so many shops. If all are read in turn, none is in the cache when it is read
 * again.
 */
export const shops = 2_000;
export const smallShops = 5_000;
/** The cache of the sample can hold so many shops. */
export const updatedShops = 150;
/** How many projects there are in which methods are created. */
export const newProjects = 1_000;

export const shop = (number) => `shop-${padded(number)}`;
export const smallShop = (number) => `small-${padded(number)}`;
/** Each contender writes in its own projects, so that none works on rows that another one has changed. */
export const updated = (contender, number) => `${contender}-updated-${number % updatedShops}`;
export const created = (contender, number) => `${contender}-new-${number % newProjects}`;
export const order = (number) => `order-${padded(number)}`;

const projects = (count, project) => Array.from({ length: count }, (_, number) => project(number));

/** Returns all projects, with their counts of methods and orders. */
export const allProjects = (writers) => [
  ...projects(shops, (number) => ({
    name: shop(number),
    number,
    methods: methodsPerShop,
    orders: ordersPerShop,
  })),
  ...projects(smallShops, (number) => ({ name: smallShop(number), number, methods: methodsPerSmallShop })),
  ...writers.flatMap((writer) => [
    ...projects(updatedShops, (number) => ({
      name: updated(writer, number),
      number,
      methods: methodsPerShop,
    })),
    ...projects(newProjects, (number) => ({ name: created(writer, number), number, methods: 0 })),
  ]),
];

/** Returns the settable fields of the method at `index` in a project, and its id. */
export function method(project, index) {
  return { id: idOf(project, index), ...catalogue[(project * stride + index) % catalogue.length] };
}

/** Returns the id of a row of a project. */
export function idOf(project, index) {
  return `0199${padded(project)}000-7000-8000-${padded(index, 12)}`.replace(/^(.{8})/, '$1-');
}

function padded(number, digits = 5) {
  return String(number).padStart(digits, '0');
}
