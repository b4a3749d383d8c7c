-- After `outcome_unknown`: the event with this key, and the method with these codes. No row means that it is not
-- stored, unless its COMMIT is still under way.
select id, recorded_at from shipping_order_event
where project_id = 'acme' and order_id = '1001' and dedupe_key = 'paid';
select id, version, updated_at from shipping_method
where project_id = 'acme' and carrier_code = 'ups' and method_code = '03';
