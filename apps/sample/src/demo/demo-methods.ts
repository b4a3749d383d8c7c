import { type UpsertShippingMethodRequest } from 'nestjs-shipping';

type Rest = Partial<UpsertShippingMethodRequest>;
type Service = [carrier: string, carrierLabel: string, method: string, methodLabel: string, rest?: Rest];

const off: Rest = { is_active: false };
/** Takes label, order and meta from the project `default`. */
const followed: Rest = { use_default: true };
const pickupPoint: Rest = { meta: { needs_pickup_point: true } };
const locker: Rest = { meta: { needs_locker: true, sizes: ['A', 'B', 'C'] } };
const days = (min: number, max: number): Rest => ({ meta: { days: { min, max } } });

const demo: Service[] = [
  ['ups', 'UPS', '03', 'UPS Ground', followed],
  ['ups', 'UPS', '02', 'UPS 2nd Day Air', days(2, 2)],
  ['ups', 'UPS', '01', 'UPS Next Day Air', days(1, 1)],
  ['ups', 'UPS', '07', 'UPS Worldwide Express', days(1, 3)],
  ['ups', 'UPS', '11', 'UPS Standard'],
  ['fedex', 'FedEx', 'FEDEX_GROUND', 'FedEx Ground', days(1, 5)],
  ['fedex', 'FedEx', 'FEDEX_2_DAY', 'FedEx 2Day', days(2, 2)],
  ['fedex', 'FedEx', 'PRIORITY_OVERNIGHT', 'FedEx Priority Overnight', days(1, 1)],
  ['fedex', 'FedEx', 'INTERNATIONAL_ECONOMY', 'FedEx International Economy', off],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide', followed],
  ['dhl', 'DHL', 'T', 'DHL Express 12:00', { meta: { delivered_before: '12:00' } }],
  ['dhl', 'DHL', 'V01PAK', 'DHL Paket', { meta: { max_weight_kg: 31.5 } }],
  ['dhl', 'DHL', 'V53WPAK', 'DHL Paket International'],
  ['usps', 'USPS', 'USPS_GROUND_ADVANTAGE', 'USPS Ground Advantage', days(2, 5)],
  ['usps', 'USPS', 'PRIORITY_MAIL', 'USPS Priority Mail', days(1, 3)],
  ['usps', 'USPS', 'PRIORITY_MAIL_EXPRESS', 'USPS Priority Mail Express', days(1, 2)],
  ['usps', 'USPS', 'PARCEL_SELECT', 'USPS Parcel Select', off],
  ['dpd', 'DPD', 'CL', 'DPD Classic'],
  ['dpd', 'DPD', 'E12', 'DPD 12:00', { meta: { delivered_before: '12:00' } }],
  ['dpd', 'DPD', 'PICKUP', 'DPD Pickup', pickupPoint],
  ['gls', 'GLS', 'BusinessParcel', 'GLS BusinessParcel'],
  ['gls', 'GLS', 'ShopDelivery', 'GLS ShopDelivery', pickupPoint],
  ['royal_mail', 'Royal Mail', 'TPN24', 'Royal Mail Tracked 24', days(1, 1)],
  ['royal_mail', 'Royal Mail', 'TPS48', 'Royal Mail Tracked 48', days(2, 3)],
  ['royal_mail', 'Royal Mail', 'SD1', 'Royal Mail Special Delivery Guaranteed by 1pm'],
  ['evri', 'Evri', 'standard', 'Evri Standard'],
  ['evri', 'Evri', 'next_day', 'Evri Next Day', off],
  ['canada_post', 'Canada Post', 'DOM.RP', 'Canada Post Regular Parcel'],
  ['canada_post', 'Canada Post', 'DOM.XP', 'Canada Post Xpresspost'],
  ['australia_post', 'Australia Post', 'AUS_PARCEL_REGULAR', 'Australia Post Parcel Post'],
  ['australia_post', 'Australia Post', 'AUS_PARCEL_EXPRESS', 'Australia Post Express Post'],
  ['postnl', 'PostNL', '3085', 'PostNL Standard'],
  ['postnl', 'PostNL', '3533', 'PostNL Pickup Point', pickupPoint],
  ['colissimo', 'La Poste Colissimo', 'DOM', 'Colissimo Domicile sans signature'],
  ['colissimo', 'La Poste Colissimo', 'DOS', 'Colissimo Domicile avec signature'],
  ['correos', 'Correos', 'S0132', 'Paq Estándar a Domicilio'],
  ['correos', 'Correos', 'S0235', 'Paq Premium a Domicilio', off],
  ['inpost', 'InPost', 'inpost_locker_standard', 'InPost Paczkomat 24/7', locker],
  ['inpost', 'InPost', 'inpost_courier_standard', 'InPost Kurier'],
  ['pickup', 'Local pickup', 'store', 'Pick up in store', followed],
];

const openingHours = { mon_fri: '09:00-18:00', sat: '10:00-14:00' };

const defaults: Service[] = [
  ['ups', 'UPS', '03', 'UPS Ground (1 to 5 days)', days(1, 5)],
  ['dhl', 'DHL', 'P', 'DHL Express Worldwide (1 to 3 days)', { sort_order: 95, ...days(1, 3) }],
  [
    'pickup',
    'Local pickup',
    'store',
    'Pick up in store',
    { sort_order: 900, meta: { opening_hours: openingHours } },
  ],
];

/** What a shop could offer: real services, some switched off, three of them as in `default`. */
export const demoMethods = demo.map(methodOf);
export const defaultMethods = defaults.map(methodOf);

function methodOf(service: Service, index: number): UpsertShippingMethodRequest {
  const [carrier_code, carrier_label, method_code, method_label, rest] = service;
  return { carrier_code, carrier_label, method_code, method_label, sort_order: (index + 1) * 10, ...rest };
}
