/** Identifiers of one system, as `[carrier_code, method_code]`. */
interface PublishedCodes {
  system: string;
  /** The page that describes these identifiers. */
  source: string;
  codes: [carrier: string, method: string][];
}

/** @param codes the codes of methods of one carrier */
const of = (carrier: string, ...codes: string[]): [string, string][] => codes.map((code) => [carrier, code]);

/**
 * Identifiers of real shipping methods of other systems. They stand in public source code that calls the APIs of these
 * systems.
 */
export const publishedCodes: PublishedCodes[] = [
  {
    system: 'Sendcloud',
    source: 'https://sendcloud.dev/docs/shipments/shipping-options-and-quotes',
    codes: [
      ...of('sendcloud', 'sendcloud:letter'),
      ...of('postnl', 'postnl:standard/insured=3000', 'postnl:standard/signature', 'postnl:service_point'),
      ...of('dhl', 'dhl:parcel_connect'),
      ...of('dhl_de', 'dhl_de:weltpaket,flex_delivery'),
      ...of('dp', 'dp:maxibrief/mailbox'),
      ...of('dpd', 'dpd:classic/b2b', 'dpd:classic/kp'),
      ...of('colissimo', 'colissimo:home/fr', 'colissimo:home/signature,fr', 'colissimo:post-office'),
      ...of('mondial_relay', 'mondial_relay:home_domestic,dualapi/c2c'),
      ...of('mondial_relay', 'mondial_relay:service_point,dualapi/size=l,c2c'),
      ...of('mondial_relay', 'mondial_relay:locker_delivery,dualapi'),
      ...of('inpost_es', 'inpost_es:service_point,national_c2c', 'inpost_es:service_point,international_c2c'),
      ...of('ups', 'ups:standard/service_point', 'ups:standard/live_rates,home_address_only'),
      ...of('chronopost', 'chronopost:shop2shop', 'chronopost:18'),
    ],
  },
  {
    system: 'Saleor',
    source: 'https://docs.saleor.io/developer/extending/webhooks/synchronous-events/shipping',
    codes: [
      ...of('saleor', 'U2hpcHBpbmdNZXRob2Q6MQ==', 'U2hpcHBpbmdNZXRob2Q6Mg==', 'U2hpcHBpbmdNZXRob2Q6Mw=='),
      ...of('saleor', 'U2hpcHBpbmdNZXRob2Q6MTU=', 'U2hpcHBpbmdNZXRob2Q6MjM=', 'U2hpcHBpbmdNZXRob2Q6Mjk='),
      ...of('saleor', 'U2hpcHBpbmdNZXRob2Q6MTgzMA==', 'U2hpcHBpbmdNZXRob2RUeXBlOjI5'),
      ...of('app:saleor.app', 'YXBwOnNhbGVvci5hcHA6cG5sLWJ1YQ=='),
    ],
  },
  {
    system: 'Shopify',
    source: 'https://shopify.dev/docs/api/admin-graphql/latest/objects/ShippingRate',
    codes: [
      ...of('shopify', 'shopify-Standard%20Shipping-8.00', 'shopify-Standard%20Shipping-10.00'),
      ...of('shopify', 'shopify-UPS%20Ground-12.00', 'shopify-Free%20Standard%20Shipping-0.00'),
      ...of('shopify', 'shopify-DPD%20Local%20Standard%20Shipping%20(1-3%20Business%20Days)-6.00'),
      ...of('shopify', 'shopify-Same%20Day%20Shipping%20(Delivered%20in%202%20-%205%20Business%20Days)-7.90'),
      ...of('shopify', 'shopify-Standard%20Shipping%20(Arrives%20in%204-7%20business%20days)-4.00'),
      ...of('shopify', 'shopify-Free%20Shipping%20(3-8%20business%20days)-0.00'),
      ...of(
        'shopify',
        'Free Holiday Shipping (USPS Priority - Est 2 Day Domestic)',
        'usps-first-class-package',
      ),
      ...of(
        'gid://shopify/DeliveryCarrierService/1036894980',
        'gid://shopify/DeliveryMethodDefinition/614411239733',
      ),
    ],
  },
  {
    system: 'commercetools',
    source: 'https://docs.commercetools.com/api/projects/shippingMethods',
    codes: [
      ...of('commercetools', 'standard-delivery', 'standard-shipping', 'integration-STANDARD2'),
      ...of('commercetools', 'some-shipping-method-key', '3d2780f9-f22b-4710-bb5c-b14dd6a27a2c'),
      ...of('commercetools', 'fdf53457-487f-4b0e-bfbb-3124e44686e7', 'd7a87341-36bb-4fe2-96a9-5d5d1eada503'),
    ],
  },
  {
    system: 'EasyPost',
    source: 'https://docs.easypost.com/carriers',
    codes: [
      ...of('USPS', 'GroundAdvantage', 'ParcelSelect', 'ExpressMailInternational'),
      ...of('USPS', 'FirstClassPackageInternationalService', 'First', 'Priority'),
      ...of('UPS', 'UPSStandard', 'UPSSaver', 'NextDayAirEarlyAM', '2ndDayAir'),
      ...of(
        'FedEx',
        'FEDEX_GROUND',
        'SMART_POST',
        'FEDEX_INTERNATIONAL_PRIORITY_EXPRESS',
        'INTERNATIONAL_FIRST',
      ),
    ],
  },
  {
    system: 'ShipStation',
    source: 'https://docs.shipstation.com/apis/docs/carriers/stamps-usps-guide',
    codes: [
      ...of('stamps_com', 'usps_first_class_package_international_service', 'usps_ground_advantage'),
      ...of('fedex', 'fedex_ground', 'fedex_2day_am', 'fedex_international_priority'),
      ...of('ups_walleted', 'ups_next_day_air_early_am', 'ups_3_day_select', 'ups_worldwide_express_plus'),
      ...of('dhl_express_worldwide', 'dhl_express_worldwide', 'dhl_express_envelope'),
      ...of('amazon_shipping_us', 'amazon_shipping_standard'),
    ],
  },
];
