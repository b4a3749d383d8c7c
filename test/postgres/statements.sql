-- a create in a project without a row, in a batch and then alone
WITH sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag, one.place
         FROM json_array_elements($1::json) WITH ORDINALITY AS one(value, place),
           json_populate_record(NULL::"shipping_method", one.value) AS m , set_config('lock_timeout', '50ms', true) AS impatience
       ), project AS (
      SELECT project_id, methods FROM "shipping_project" WHERE project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent))
      ORDER BY project_id FOR UPDATE SKIP LOCKED
    ), changed AS (
         INSERT INTO "shipping_method" (project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
         SELECT project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta, use_default, search_text, 1, now.at, now.at
         FROM sent AS s JOIN project AS p USING (project_id), (SELECT clock_timestamp() AS at) AS now WHERE p.methods + s.place <= $3::integer
         ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING RETURNING *, use_default::integer AS follows
       ), bumped AS (
    UPDATE "shipping_project" AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, 1 * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  )
       SELECT s.id::text AS id, c.json,
         CASE WHEN p.methods >= $3::integer THEN 'full' WHEN p.methods + s.place <= $3::integer THEN 'taken' ELSE 'lost' END AS state
       FROM sent AS s JOIN project AS p USING (project_id) LEFT JOIN (SELECT m.id::text AS id, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM changed AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m) AS c ON c.id = s.id::text;

WITH sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag, one.place
         FROM json_array_elements($1::json) WITH ORDINALITY AS one(value, place),
           json_populate_record(NULL::"shipping_method", one.value) AS m 
       ), project AS (
      SELECT project_id, methods FROM "shipping_project" WHERE project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent))
      ORDER BY project_id FOR UPDATE 
    ), changed AS (
         INSERT INTO "shipping_method" (project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta, use_default, search_text, version, created_at, updated_at)
         SELECT project_id, id, carrier_code, carrier_label, method_code, method_label, is_active, sort_order, meta, use_default, search_text, 1, now.at, now.at
         FROM sent AS s JOIN project AS p USING (project_id), (SELECT clock_timestamp() AS at) AS now WHERE p.methods + s.place <= $3::integer
         ON CONFLICT (project_id, carrier_code, method_code) DO NOTHING RETURNING *, use_default::integer AS follows
       ), bumped AS (
    UPDATE "shipping_project" AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, 1 * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  )
       SELECT s.id::text AS id, c.json,
         CASE WHEN p.methods >= $3::integer THEN 'full' WHEN p.methods + s.place <= $3::integer THEN 'taken' ELSE 'lost' END AS state
       FROM sent AS s JOIN project AS p USING (project_id) LEFT JOIN (SELECT m.id::text AS id, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM changed AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m) AS c ON c.id = s.id::text;

INSERT INTO "shipping_project" (project_id, revision, methods, followers) VALUES ($1, gen_random_uuid(), 0, 0) ON CONFLICT DO NOTHING;

-- a find by id
SELECT m.place, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (
         SELECT k.place, m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM json_to_recordset($1::json) AS k(place text, project_id text, id uuid, carrier_code text, method_code text)
        CROSS JOIN LATERAL (SELECT * FROM "shipping_method" AS o WHERE o.project_id = k.project_id AND o.id >= k.id ORDER BY o.id LIMIT 1) AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true
         WHERE m.id = COALESCE(k.id, m.id)
       ) AS m;

-- a find by codes
SELECT m.place, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (
         SELECT k.place, m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM json_to_recordset($1::json) AS k(place text, project_id text, id uuid, carrier_code text, method_code text)
        CROSS JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE true AND o.project_id = k.project_id
      AND o.carrier_code = k.carrier_code AND o.method_code = k.method_code OFFSET 0
    ) AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true
         WHERE m.id = COALESCE(k.id, m.id)
       ) AS m;

-- an update
WITH sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag, one.place
         FROM json_array_elements($1::json) WITH ORDINALITY AS one(value, place),
           json_populate_record(NULL::"shipping_method", one.value) AS m , set_config('lock_timeout', '50ms', true) AS impatience
       ), current AS (
         SELECT s.*, m.use_default::integer AS followed, m.carrier_code AS carrier, m.method_code AS method
         FROM "shipping_project" AS p JOIN sent AS s ON s.project_id = p.project_id
           JOIN "shipping_method" AS m ON m.project_id = s.project_id AND m.id = s.id AND m.version = s.version
         WHERE p.project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent)) AND s.etag = (SELECT concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"') FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM (SELECT m.*) AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m)
         ORDER BY p.project_id, m.id FOR NO KEY UPDATE OF p, m SKIP LOCKED
       ), changed AS (
         UPDATE "shipping_method" AS m
         SET version = m.version + 1, updated_at = clock_timestamp(), carrier_code = s.carrier_code, carrier_label = s.carrier_label, method_code = s.method_code, method_label = s.method_label, is_active = s.is_active, sort_order = s.sort_order, meta = s.meta, use_default = s.use_default, search_text = s.search_text
         FROM current AS s WHERE m.project_id = s.project_id AND m.id = s.id
           AND m.carrier_code = s.carrier AND m.method_code = s.method
         RETURNING m.*, m.use_default::integer - s.followed AS follows
       ), bumped AS (
    UPDATE "shipping_project" AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, 0 * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  ) SELECT m.id::text AS id, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM changed AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m;

-- an update with new codes, in a transaction
WITH project AS (
      SELECT project_id, methods FROM "shipping_project" WHERE project_id = ANY($1::text[])
      ORDER BY project_id FOR UPDATE 
    ) SELECT FROM project;

WITH sent AS (
         SELECT m.*, one.value ->> 'etag' AS etag, one.place
         FROM json_array_elements($1::json) WITH ORDINALITY AS one(value, place),
           json_populate_record(NULL::"shipping_method", one.value) AS m 
       ), current AS (
         SELECT s.*, m.use_default::integer AS followed, m.carrier_code AS carrier, m.method_code AS method
         FROM "shipping_project" AS p JOIN sent AS s ON s.project_id = p.project_id
           JOIN "shipping_method" AS m ON m.project_id = s.project_id AND m.id = s.id AND m.version = s.version
         WHERE p.project_id = ANY(ARRAY(SELECT DISTINCT project_id FROM sent)) AND s.etag = (SELECT concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"') FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM (SELECT m.*) AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m)
         ORDER BY p.project_id, m.id FOR NO KEY UPDATE OF p, m 
       ), changed AS (
         UPDATE "shipping_method" AS m
         SET version = m.version + 1, updated_at = clock_timestamp(), carrier_code = s.carrier_code, carrier_label = s.carrier_label, method_code = s.method_code, method_label = s.method_label, is_active = s.is_active, sort_order = s.sort_order, meta = s.meta, use_default = s.use_default, search_text = s.search_text
         FROM current AS s WHERE m.project_id = s.project_id AND m.id = s.id
           AND m.carrier_code = s.carrier AND m.method_code = s.method
         RETURNING m.*, m.use_default::integer - s.followed AS follows
       ), bumped AS (
    UPDATE "shipping_project" AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, 0 * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  ) SELECT m.id::text AS id, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM changed AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m;

-- a page
WITH head AS (
         SELECT concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision, COALESCE(p.followers, 0) AS followers, COALESCE(p.methods, 0) AS total
         FROM (SELECT) AS one LEFT JOIN "shipping_project" AS p ON p.project_id = $1::text
           LEFT JOIN "shipping_project" AS d ON d.project_id = $2::text
       ) SELECT revision, followers::text, total::text, COALESCE((SELECT string_agg(concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',' ORDER BY sort_order, carrier_code, method_code) FROM (
      SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, m.carrier_label AS carrier_label, m.method_code AS method_code, m.method_label AS method_label, m.is_active AS is_active, m.sort_order AS sort_order, m.meta AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version FROM "shipping_method" AS m WHERE m.project_id = $1::text ORDER BY m.sort_order, m.carrier_code, m.method_code
      LIMIT $3::integer OFFSET $4::integer
    ) AS m), '') AS text FROM head;

-- a page from the cache
SELECT concat(p.project_id) AS project_id, concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision FROM "shipping_project" AS p
        LEFT JOIN "shipping_project" AS d ON d.project_id = $1::text
        WHERE p.project_id = ANY($2::text[]);

-- a page by conditions
WITH head AS (
         SELECT concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision, COALESCE(p.followers, 0) AS followers, (SELECT count(*)::integer FROM "shipping_method" AS m WHERE m.project_id = $1::text AND strpos(m.search_text, $3::text) > 0 AND (m.carrier_code = ANY($4::text[])) AND (starts_with(split_part(m.search_text, E'\n', 4), $5::text))) AS total
         FROM (SELECT) AS one LEFT JOIN "shipping_project" AS p ON p.project_id = $1::text
           LEFT JOIN "shipping_project" AS d ON d.project_id = $2::text
       ) SELECT revision, followers::text, total::text, COALESCE((SELECT string_agg(concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',' ORDER BY sort_order, carrier_code, method_code) FROM (
      SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, m.carrier_label AS carrier_label, m.method_code AS method_code, m.method_label AS method_label, m.is_active AS is_active, m.sort_order AS sort_order, m.meta AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version FROM "shipping_method" AS m WHERE m.project_id = $1::text AND strpos(m.search_text, $3::text) > 0 AND (m.carrier_code = ANY($4::text[])) AND (starts_with(split_part(m.search_text, E'\n', 4), $5::text)) ORDER BY m.sort_order, m.carrier_code, m.method_code
      LIMIT $6::integer OFFSET $7::integer
    ) AS m), '') AS text FROM head;

-- a tree
WITH head AS (
         SELECT concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision, COALESCE(p.followers, 0) AS followers, COALESCE(p.methods, 0) AS total
         FROM (SELECT) AS one LEFT JOIN "shipping_project" AS p ON p.project_id = $1::text
           LEFT JOIN "shipping_project" AS d ON d.project_id = $2::text
       ) SELECT revision, followers::text, total::text, COALESCE((SELECT string_agg(text, ',' ORDER BY sort_order, carrier_code) FROM (
      SELECT carrier_code, min(sort_order) AS sort_order, concat('{"carrier_code":', COALESCE(to_json(carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(COALESCE((array_agg(carrier_label ORDER BY sort_order, method_code) FILTER (WHERE carrier_label IS NOT NULL))[1], carrier_code))::text, 'null'), ',"is_active":', bool_or(is_active)::text, ',"sort_order":', min(sort_order), ',"methods":', '[', string_agg(concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',' ORDER BY sort_order, method_code), ']', '}') AS text
      FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, m.carrier_label AS carrier_label, m.method_code AS method_code, m.method_label AS method_label, m.is_active AS is_active, m.sort_order AS sort_order, m.meta AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version FROM "shipping_method" AS m WHERE m.project_id = $1::text) AS m GROUP BY carrier_code
    ) AS branch), '') AS text FROM head;

-- a page of a project with use_default
WITH head AS (
         SELECT concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision, COALESCE(p.followers, 0) AS followers, (SELECT count(*)::integer FROM "shipping_method" AS m WHERE m.project_id = $1::text AND strpos(m.search_text, $3::text) > 0) AS total
         FROM (SELECT) AS one LEFT JOIN "shipping_project" AS p ON p.project_id = $1::text
           LEFT JOIN "shipping_project" AS d ON d.project_id = $2::text
       ) SELECT revision, followers::text, total::text, COALESCE((SELECT string_agg(concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',' ORDER BY sort_order, carrier_code, method_code) FROM (
      SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, m.carrier_label AS carrier_label, m.method_code AS method_code, m.method_label AS method_label, m.is_active AS is_active, m.sort_order AS sort_order, m.meta AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, '[]' AS inherited, '{}' AS own, NULL::uuid AS default_id, NULL::integer AS default_version FROM "shipping_method" AS m WHERE m.project_id = $1::text AND strpos(m.search_text, $3::text) > 0 ORDER BY m.sort_order, m.carrier_code, m.method_code
      LIMIT $4::integer OFFSET $5::integer
    ) AS m), '') AS text FROM head;

WITH head AS (
         SELECT concat_ws('.', 'c0jdfx', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(CAST(d.revision AS char(36)), 'none') END) AS revision, COALESCE(p.followers, 0) AS followers, (SELECT count(*)::integer FROM "shipping_method" AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true WHERE m.project_id = $1::text AND strpos(CASE WHEN d.id IS NULL THEN m.search_text ELSE concat_ws('
', split_part(m.search_text, E'\n', 1), split_part(m.search_text, E'\n', 2), CASE WHEN d.carrier_label IS NULL THEN split_part(m.search_text, E'\n', 3) ELSE split_part(d.search_text, E'\n', 3) END, split_part(d.search_text, E'\n', 4)) END, $3::text) > 0) AS total
         FROM (SELECT) AS one LEFT JOIN "shipping_project" AS p ON p.project_id = $1::text
           LEFT JOIN "shipping_project" AS d ON d.project_id = $2::text
       ) SELECT revision, followers::text, total::text, COALESCE((SELECT string_agg(concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}'), ',' ORDER BY sort_order, carrier_code, method_code) FROM (
      SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM "shipping_method" AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true WHERE m.project_id = $1::text AND strpos(CASE WHEN d.id IS NULL THEN m.search_text ELSE concat_ws('
', split_part(m.search_text, E'\n', 1), split_part(m.search_text, E'\n', 2), CASE WHEN d.carrier_label IS NULL THEN split_part(m.search_text, E'\n', 3) ELSE split_part(d.search_text, E'\n', 3) END, split_part(d.search_text, E'\n', 4)) END, $3::text) > 0 ORDER BY COALESCE(d.sort_order, m.sort_order), m.carrier_code, m.method_code
      LIMIT $4::integer OFFSET $5::integer
    ) AS m), '') AS text FROM head;

-- a delete
WITH project AS (
      SELECT project_id, methods FROM "shipping_project" WHERE project_id = ANY($1::text[])
      ORDER BY project_id FOR UPDATE 
    ), changed AS (
           DELETE FROM "shipping_method" AS m USING project
           WHERE m.project_id = project.project_id AND m.id = $3::uuid
             AND ($4::text[] IS NULL OR concat('"', m.version, '"') = ANY($4::text[])
               OR (SELECT concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"') FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM (SELECT m.*) AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m) = ANY($4::text[]))
           RETURNING m.*, -m.use_default::integer AS follows
         ), bumped AS (
    UPDATE "shipping_project" AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, -1 * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  ) SELECT m.id::text AS id, concat('{"id":', '"', m.id, '"', ',"project_id":', '"', m.project_id, '"', ',"carrier_code":', COALESCE(to_json(m.carrier_code)::text, 'null'), ',"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null'), ',"method_code":', COALESCE(to_json(m.method_code)::text, 'null'), ',"method_label":', COALESCE(to_json(m.method_label)::text, 'null'), ',"is_active":', m.is_active::text, ',"sort_order":', m.sort_order, ',"meta":', m.meta, ',"use_default":', m.use_default::text, ',"inherited":', m.inherited, ',"own":', m.own, ',"version":', m.version, ',"etag":', COALESCE(to_json(concat('"', m.version, CASE WHEN m.default_id IS NULL THEN '' ELSE concat('-', substr(CAST(m.default_id AS char(36)), 25), '.', m.default_version) END, '"'))::text, 'null'), ',"created_at":', '"', to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"updated_at":', '"', to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM (SELECT m.project_id, m.id AS id, m.carrier_code AS carrier_code, COALESCE(d.carrier_label, m.carrier_label) AS carrier_label, m.method_code AS method_code, COALESCE(d.method_label, m.method_label) AS method_label, m.is_active AS is_active, COALESCE(d.sort_order, m.sort_order) AS sort_order, COALESCE(d.meta, m.meta) AS meta, m.use_default AS use_default, m.version AS version, m.created_at AS created_at, m.updated_at AS updated_at, CASE WHEN d.id IS NULL THEN '[]' ELSE concat('[', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN '"carrier_label"' END, '"method_label"', '"sort_order"', '"meta"'), ']') END AS inherited, CASE WHEN d.id IS NULL THEN '{}' ELSE concat('{', concat_ws(',', CASE WHEN d.carrier_label IS NOT NULL THEN concat('"carrier_label":', COALESCE(to_json(m.carrier_label)::text, 'null')) END, concat('"method_label":', COALESCE(to_json(m.method_label)::text, 'null')), concat('"sort_order":', m.sort_order), concat('"meta":', m.meta)), '}') END AS own,
      d.id AS default_id, d.version AS default_version FROM changed AS m LEFT JOIN LATERAL (
      SELECT * FROM "shipping_method" AS o WHERE m.use_default AND m.project_id <> $2::text AND o.project_id = $2::text
      AND o.carrier_code = m.carrier_code AND o.method_code = m.method_code OFFSET 0
    ) AS d ON true) AS m;

-- an event
INSERT INTO "shipping_order_event" (id, project_id, order_id, dedupe_key, type, message, data, actor, occurred_at, recorded_at)
          SELECT $1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::jsonb, $8::jsonb, COALESCE($9::timestamptz, statement_timestamp()), statement_timestamp() FROM set_config('lock_timeout', '50ms', true) AS impatience
          ON CONFLICT (project_id, order_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING RETURNING concat('{"id":', '"', id, '"', ',"project_id":', '"', project_id, '"', ',"order_id":', '"', order_id, '"', ',"type":', '"', type, '"', ',"message":', COALESCE(to_json(message)::text, 'null'), ',"data":', data, ',"actor":', COALESCE(actor, 'null'), ',"occurred_at":', '"', to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"recorded_at":', '"', to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json;

-- a history
SELECT concat(seq) AS place, concat('{"id":', '"', id, '"', ',"project_id":', '"', project_id, '"', ',"order_id":', '"', order_id, '"', ',"type":', '"', type, '"', ',"message":', COALESCE(to_json(message)::text, 'null'), ',"data":', data, ',"actor":', COALESCE(actor, 'null'), ',"occurred_at":', '"', to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', ',"recorded_at":', '"', to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '"', '}') AS json FROM "shipping_order_event"
        WHERE project_id = $1::text AND order_id = $2::text  ORDER BY occurred_at, seq LIMIT 201;
