import { isUuid } from '../validation/identifiers.js';
import { EffectiveMethod, inListOrder, type StoredMethod } from './effective-method.js';
import { codesKey } from './method-codes.js';
import { fieldNames, fieldOf, searchedFields } from './method-fields.js';

/** The stored methods of a project, all read at the same moment. */
export interface MethodSet {
  projectId: string;
  /** Undefined when the project has no row yet. Then it has no methods, either. */
  revision: string | undefined;
  methods: readonly StoredMethod[];
}

/** The revisions of a project and of the defaults project, both looked up at the same moment. */
export interface Revisions {
  project: string | undefined;
  defaults: string | undefined;
}

// The cache counts these bytes for each object. They are rounded results of `npm run bench -- --memory`.
/** A view without its methods. */
const viewBytes = 500;
/** A method without its texts. */
const methodBytes = 450;
/** A default that a method inherits from, without its texts. */
const defaultBytes = 350;

/** Tells whether a method of a project may inherit a value. The defaults project inherits from nothing. */
export function anyMayInherit({ projectId, methods }: MethodSet, defaultsProjectId: string): boolean {
  return projectId !== defaultsProjectId && methods.some((each) => each.use_default);
}

/** The methods of a project with the values that they inherit, in list order. It never changes. */
export class MethodView {
  readonly projectId: string;
  readonly revision: string | undefined;
  /** Whether the content of this view depends on the defaults project. */
  readonly inherits: boolean;
  private readonly defaultsRevision: string | undefined;
  /**
   * Two views of a project that were read from the database with the same tag have the same content. The ETags of lists
   * and trees have it.
   */
  readonly tag: string;
  /** An estimate of the memory that this view takes. */
  readonly bytes: number;
  readonly methods: readonly EffectiveMethod[];

  /**
   * A view holds only those defaults that its methods inherit from. If it held the whole set, many views could keep
   * many revisions of this set in memory.
   * @param defaultsProject the defaults project, read at the same moment. It may be this project. It may be undefined
   *   when no method may inherit.
   */
  constructor(set: MethodSet, defaultsProject?: MethodSet) {
    const defaults =
      defaultsProject && anyMayInherit(set, defaultsProject.projectId) ? defaultsProject : undefined;
    const defaultsByCodes = new Map(defaults?.methods.map((method) => [codesKey(method), method]));
    this.projectId = set.projectId;
    this.revision = set.revision;
    this.inherits = defaults !== undefined;
    this.defaultsRevision = defaults?.revision;
    this.tag = (defaults ? [set, defaults] : [set]).map(({ revision }) => revision ?? 'none').join('.');
    this.methods = set.methods
      .map((stored) =>
        defaults && stored.use_default
          ? new EffectiveMethod(stored, true, defaultsByCodes.get(codesKey(stored)))
          : new EffectiveMethod(stored, false),
      )
      .toSorted(inListOrder);
    this.bytes = viewBytes + this.methods.reduce((bytes, method) => bytes + bytesOf(method), 0);
  }

  /** Tells whether a view that was read at these revisions would have the same content. */
  isAt({ project, defaults }: Revisions): boolean {
    return project === this.revision && (!this.inherits || defaults === this.defaultsRevision);
  }

  byId(id: string): EffectiveMethod | undefined {
    const storedId = isUuid(id) ? id.toLowerCase() : undefined;
    return this.methods.find(({ stored }) => stored.id === storedId);
  }

  byCodes(carrierCode: string, methodCode: string): EffectiveMethod | undefined {
    return this.methods.find(
      ({ stored }) => stored.method_code === methodCode && stored.carrier_code === carrierCode,
    );
  }
}

const textFields = fieldNames.filter((name) => /^(code|label|json)$/.test(fieldOf(name).kind));

/**
 * Counts two bytes for each character of the texts, and two more if a search folds it. Views rarely share a default, so
 * each view counts its own.
 */
function bytesOf(method: EffectiveMethod): number {
  const { stored, inheritedFrom } = method;
  let bytes = methodBytes + (inheritedFrom ? defaultBytes : 0);
  for (const name of textFields)
    bytes += 2 * (String(stored[name] ?? '').length + String(inheritedFrom?.[name] ?? '').length);
  for (const name of searchedFields) bytes += 2 * (method.value(name) ?? '').length;
  return bytes;
}
