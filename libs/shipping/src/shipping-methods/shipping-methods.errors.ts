import { problemDetails, ShippingException } from '../shipping.exception.js';

/** No method of this project has this id. Another project's method is not found either. */
export class MethodNotFoundError extends ShippingException {
  constructor() {
    super(
      problemDetails(
        404,
        'method_not_found',
        'Shipping method not found',
        'This project has no shipping method with this id.',
      ),
    );
  }
}

/** The pair of codes is taken in this project. */
export class DuplicateMethodError extends ShippingException {
  /**
   * @param existingId the method that has the codes
   * @param identical on create: whether it stores just what was sent, so that a retry was safe
   */
  constructor(
    readonly existingId: string,
    readonly identical?: boolean,
  ) {
    super(
      problemDetails(
        409,
        'duplicate_method',
        'Duplicate shipping method',
        'This project has a method with the same carrier_code and method_code: update it, or choose other codes.',
        { existing_id: existingId, ...(identical !== undefined && { identical }) },
      ),
    );
  }
}

/** Rows of the host still refer to the method. */
export class MethodInUseError extends ShippingException {
  constructor(cause: unknown) {
    super(
      problemDetails(
        409,
        'method_in_use',
        'Shipping method in use',
        'Other records still refer to this method: set is_active to false instead, or remove them first.',
      ),
      { cause },
    );
  }
}

/** The stored version is none of those that the caller named: someone else changed the method. */
export class VersionMismatchError extends ShippingException {
  constructor(readonly currentVersion: number) {
    super(
      problemDetails(
        412,
        'version_mismatch',
        'Version mismatch',
        `The method is at version ${currentVersion} now: read it again, then repeat the change.`,
        { current_version: currentVersion },
      ),
    );
  }
}
