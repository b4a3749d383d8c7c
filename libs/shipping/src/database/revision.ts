// The row of a project, raised in the statement that writes its methods.

const clockMicroseconds = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const nextRevision = `GREATEST(p.revision + 1, ${clockMicroseconds})`;

/**
 * A CTE that raises the project's row, or makes it, before its first method is inserted: the lock it takes
 * comes first in every writer, so that two of them cannot wait for each other.
 */
export function raiseForInsert(projects: string, project: string, useDefault: string): string {
  return `project AS (
    INSERT INTO ${projects} AS p (project_id, revision, methods, followers)
    VALUES (${project}, ${clockMicroseconds}, 1, ${useDefault}::boolean::integer)
    ON CONFLICT (project_id) DO UPDATE
    SET revision = ${nextRevision}, methods = p.methods + 1, followers = p.followers + EXCLUDED.followers
    RETURNING p.project_id
  )`;
}

/** A CTE that takes the lock of the project's row, for statements that may in the end change nothing. */
export function lockProject(projects: string, project: string): string {
  return `project AS (SELECT project_id FROM ${projects} WHERE project_id = ${project} FOR UPDATE)`;
}

/** A CTE that raises the project's row for the methods that the CTE `changed` holds. */
export function raiseForChange(projects: string, methods: string, followers: string): string {
  return `raised AS (
    UPDATE ${projects} AS p
    SET revision = ${nextRevision}, methods = p.methods + (${methods}), followers = p.followers + (${followers})
    FROM changed WHERE p.project_id = changed.project_id
  )`;
}
