import { CodedError } from '../problems/shipping-http.error.js';

// Each export of this file is an error: shipping.errors.ts takes all of them.

/** No method of this project has this id or these codes. Another project's method is not found either. */
export class MethodNotFoundError extends CodedError<'method_not_found'> {
  constructor() {
    const detail = 'This project has no such shipping method.';
    super({ title: 'Shipping method not found', status: 404, code: 'method_not_found', detail });
  }
}

/** The pair of codes is taken in this project. */
export class DuplicateMethodError extends CodedError<'duplicate_method'> {
  constructor(
    /** The id of the method that has the codes. */
    readonly existingId: string,
    /** Only after a create: whether that method stores exactly what was sent, so that a retry did no harm. */
    readonly identical?: boolean,
  ) {
    const detail =
      'Another method of this project has the same carrier_code and method_code. Update that method, or choose other codes.';
    const extensions = { existing_id: existingId, ...(identical !== undefined && { identical }) };
    super({
      title: 'Duplicate shipping method',
      status: 409,
      code: 'duplicate_method',
      detail,
      ...extensions,
    });
  }
}

/** The project holds `maxMethods` methods or more, or would hold more after the call. */
export class TooManyMethodsError extends CodedError<'too_many_methods'> {
  constructor(
    /** The option `maxMethods` of the module. */
    readonly maxMethods: number,
  ) {
    const detail = `This project can have at most ${maxMethods} shipping methods. Remove some first.`;
    super({
      title: 'Too many shipping methods',
      status: 409,
      code: 'too_many_methods',
      detail,
      max_methods: maxMethods,
    });
  }
}

/** `removeOthers` had no request at all, or would have removed more than `maxRemoved` methods. Nothing was changed. */
export class TooManyRemovalsError extends CodedError<'too_many_removals'> {
  constructor(
    /** How many methods the call would have removed. */
    readonly wouldRemove: number,
    /** The option of the call; undefined when the call had no request. */
    readonly maxRemoved: number | undefined,
  ) {
    const detail =
      maxRemoved === undefined
        ? `There are no requests, so removeOthers would remove each method of this project: ${wouldRemove}. Check your input, or call removeAll.`
        : `removeOthers would remove ${wouldRemove} methods, but maxRemoved allows only ${maxRemoved}. Check the requests, or raise maxRemoved.`;
    const extensions = {
      would_remove: wouldRemove,
      ...(maxRemoved !== undefined && { max_removed: maxRemoved }),
    };
    super({ title: 'Too many removals', status: 409, code: 'too_many_removals', detail, ...extensions });
  }
}

/** Rows of yours still refer to the method or its codes. */
export class MethodInUseError extends CodedError<'method_in_use'> {
  override readonly endsTransaction = true;

  constructor(cause: unknown) {
    const detail =
      'Other records still refer to this method or its codes. Remove these records first, or set is_active to false instead.';
    super({ title: 'Shipping method in use', status: 409, code: 'method_in_use', detail }, { cause });
  }
}

/** Somebody has changed the method, or the default that it inherits from, since you read it. */
export class VersionMismatchError extends CodedError<'version_mismatch'> {
  constructor(
    /** The version that the method has now. */
    readonly currentVersion: number,
    id: string,
  ) {
    const detail = `Somebody has changed the method or its default. The method is now at version ${currentVersion}. Read it again with filter[id]=${id} in the list, and repeat the change.`;
    super({
      title: 'Version mismatch',
      status: 412,
      code: 'version_mismatch',
      detail,
      current_version: currentVersion,
    });
  }
}
