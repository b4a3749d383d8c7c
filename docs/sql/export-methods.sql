-- All methods, with the values that they store and the values that they show. Write your `defaultsProjectId` in place of
-- 'default' if it is another one. The statement runs on PostgreSQL, MariaDB, MySQL and SQLite.
select m.project_id, m.id, m.carrier_code, m.method_code, m.is_active, m.use_default,
  m.carrier_label, m.method_label, m.sort_order, m.meta,
  coalesce(d.carrier_label, m.carrier_label) as effective_carrier_label,
  coalesce(d.method_label, m.method_label) as effective_method_label,
  coalesce(d.sort_order, m.sort_order) as effective_sort_order,
  coalesce(d.meta, m.meta) as effective_meta,
  m.version, m.created_at, m.updated_at
from shipping_method m
left join shipping_method d
  on d.project_id = 'default' and m.project_id <> 'default' and m.use_default
  and d.carrier_code = m.carrier_code and d.method_code = m.method_code
order by m.project_id, effective_sort_order, m.carrier_code, m.method_code;
