// The row of a project, changed in the statement that writes its methods, looked up by what reads them.

/** A statement that makes the row of the project `$1`, as one that has never had a method, where there is none. */
export function makeProject(projects: string): string {
  return `INSERT INTO ${projects} (project_id, revision, methods, followers) VALUES ($1, gen_random_uuid(), 0, 0) ON CONFLICT DO NOTHING`;
}

/**
 * A CTE that takes the locks of the rows of projects. They come first in every writer, so that two of them
 * cannot wait for each other.
 */
export function lockProjects(projects: string, projectIds: string, locked: '' | 'SKIP LOCKED' = ''): string {
  return `project AS (
    SELECT project_id FROM ${projects} WHERE project_id = ANY(${projectIds}) ORDER BY project_id FOR UPDATE ${locked}
  )`;
}

/**
 * A CTE that renews the revisions and raises the counts of the projects of the methods that the CTE `changed` holds, whose column
 * `follows` says how many more with `use_default` there are by each. The rows are locked already.
 * @param methods how many more there are by each of them
 */
export function raise(projects: string, methods: -1 | 0 | 1): string {
  return `raised AS (
    UPDATE ${projects} AS p
    SET revision = gen_random_uuid(), methods = p.methods + c.methods, followers = p.followers + c.follows
    FROM (
      SELECT project_id, ${methods} * count(*) AS methods, sum(follows) AS follows FROM changed GROUP BY project_id
    ) AS c WHERE p.project_id = c.project_id AND p.project_id = ANY(ARRAY(SELECT project_id FROM changed))
  )`;
}

/**
 * The validator of what a project shows: another word after each change of it, the methods of the defaults
 * project included as long as one of its own follows them. `p` is the project's row, `d` that of the defaults.
 */
export const validator = `concat_ws('.', '1', p.revision, CASE WHEN p.followers > 0 THEN COALESCE(d.revision::text, 'none') END)`;

/** The validator of a project that has no row. No row has it. */
export const neverWritten = '1';

/** @returns what a validator says of the defaults project; undefined: the project follows none */
export function defaultsOf(word: string): string | undefined {
  return word.split('.')[2];
}
