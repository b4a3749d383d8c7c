export { ShippingModule } from './module/shipping.module.js';
export {
  type BeforeCommit,
  type ShippingFactoryOptions,
  type ShippingModuleAsyncOptions,
  type ShippingModuleOptions,
  type ShippingOptionsFactory,
} from './module/shipping.options.js';
export { type ShippingHttpOptions, type ShippingRoute } from './module/http.options.js';

export {
  type BulkChangeResult,
  ShippingMethodsService,
} from './shipping-methods/shipping-methods.service.js';
export {
  type ChangeMethodOptions,
  type DryRunOptions,
  type FindMethodOptions,
  type UpsertManyOptions,
} from './shipping-methods/method-options.js';
export { type ShippingDatabaseStats } from './database/database.js';
export { type ShippingCacheStats } from './shipping-methods/store/view-cache.js';
export { ShippingMethod } from './shipping-methods/shipping-method.table.js';
export { ShippingProject } from './shipping-methods/shipping-project.table.js';
export {
  type ShippingMethodPatch,
  type UpsertShippingMethodRequest,
} from './shipping-methods/dto/upsert-shipping-method.dto.js';
export { toUpsertRequest } from './shipping-methods/stored-values.js';
export { type ShippingMethodCodes } from './shipping-methods/method-codes.js';
export { type FilterField } from './shipping-methods/method-fields.js';
export { type InheritableField } from './shipping-methods/use-default.js';
export { type FilterOperator, type FilterValue } from './shipping-methods/list/list-operators.js';
export { type FilterCondition, type ShippingMethodQuery } from './shipping-methods/list/list-query.dto.js';
export {
  type ShippingMethodTreeCarrier,
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodMeta,
  type ShippingMethodPage,
  type ShippingMethodTree,
} from './shipping-methods/dto/shipping-method.dto.js';
export {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  TooManyMethodsError,
  TooManyRemovalsError,
  VersionMismatchError,
} from './shipping-methods/shipping-methods.errors.js';

export { type OrderKey } from './order-events/order-key.js';
export { OrderEventsService } from './order-events/order-events.service.js';
export { OrderEvent } from './order-events/order-event.table.js';
export {
  isKnownOrderEventType,
  type KnownOrderEventType,
  type OrderEventData,
  type OrderEventType,
  orderEventTypes,
} from './order-events/order-event-types.js';
export {
  isOrderEvent,
  type OrderEventActor,
  type OrderEventDto,
  type RecordedOrderEvent,
} from './order-events/dto/order-event.dto.js';
export { type OrderEventPage, type OrderEventQuery } from './order-events/dto/order-event-page.dto.js';
export { type NewOrderEvent, type NewOrderEventActor } from './order-events/dto/new-order-event.dto.js';

export { type ShippingCallOptions } from './database/call-options.js';
export { shippingEntities } from './module/shipping-entities.js';
export { toShippingError } from './database/driver-errors.js';
export { repeatLostRaces, type RepeatOptions } from './database/repeat-lost-races.js';
export {
  DatabaseUnavailableError,
  EndedTransactionError,
  FailedTransactionError,
  OutcomeUnknownError,
} from './database/database.errors.js';

export { ProblemDetailsFilter } from './http/problem-details.filter.js';
export { InvalidJsonError, UnsupportedMediaTypeError } from './http/request.js';
export { type ProblemDetails, ShippingHttpError } from './problems/shipping-http.error.js';
export { isShippingError, type ShippingError, type ShippingErrorCode } from './shipping.errors.js';
export {
  type Violation,
  type ViolationCode,
  InvalidInputError,
  InvalidParameterError,
  ValidationFailedError,
} from './validation/violations.js';
export { type JsonObject, type JsonObjectInput, type JsonValue } from './validation/json-object.js';
