-- All methods, with the values that they store and the values that they show. Write your `defaultsProjectId` in place of
-- 'default' if it is another one. The statement runs on PostgreSQL, MariaDB, MySQL and SQLite, and, because of the limit,
-- on Citus.
select m.project_id, m.id, m.carrier_code, m.method_code, m.is_active, m.use_default,
  m.carrier_label, m.method_label, m.sort_order, m.meta,
  coalesce(case when m.use_default like '%carrier_label%' then d.carrier_label end, m.carrier_label) as effective_carrier_label,
  coalesce(case when m.use_default like '%method_label%' then d.method_label end, m.method_label) as effective_method_label,
  coalesce(case when m.use_default like '%sort_order%' then d.sort_order end, m.sort_order) as effective_sort_order,
  coalesce(case when m.use_default like '%meta%' then d.meta end, m.meta) as effective_meta,
  m.is_active and coalesce(case when m.use_default like '%is_active%' then d.is_active end, m.is_active) as effective_is_active,
  m.version, m.created_at, m.updated_at
from shipping_method m
left join (select * from shipping_method where project_id = 'default' limit 1000000) d
  on m.project_id <> 'default'
  and d.carrier_code = m.carrier_code and d.method_code = m.method_code
order by m.project_id, effective_sort_order, m.carrier_code, m.method_code;
