const { Modules } = require('@medusajs/framework/utils');

exports.default = async function seed({ container }) {
  const fulfillment = container.resolve(Modules.FULFILLMENT);
  const profile = await fulfillment.createShippingProfiles({ name: 'Default', type: 'default' });
  const { service_zones } = await fulfillment.createFulfillmentSets({
    name: 'Shipping',
    type: 'shipping',
    service_zones: [{ name: 'Europe', geo_zones: [{ type: 'country', country_code: 'de' }] }],
  });
  await fulfillment.createShippingOptions(
    JSON.parse(process.env.METHODS).map(({ code, name }) => ({
      name,
      price_type: 'flat',
      provider_id: 'manual_manual',
      service_zone_id: service_zones[0].id,
      shipping_profile_id: profile.id,
      type: { label: name, description: name, code },
    })),
  );
};
