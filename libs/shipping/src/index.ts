export { ShippingModule } from './shipping.module.js';
export {
  type BeforeCommit,
  type ShippingFactoryOptions,
  type ShippingHttpOptions,
  type ShippingModuleAsyncOptions,
  type ShippingModuleOptions,
  type ShippingOptionsFactory,
  type ShippingRoute,
} from './shipping.options.js';

export { type ChangedMethods, ShippingMethods } from './shipping-methods/shipping-methods.service.js';
export {
  type ChangeOptions,
  type DryRunOptions,
  type FindOptions,
  type UpsertManyOptions,
} from './shipping-methods/method-options.js';
export { type CacheStats } from './shipping-methods/store/view-cache.js';
export { ShippingMethod } from './shipping-methods/shipping-method.table.js';
export { ShippingProject } from './shipping-methods/shipping-project.table.js';
export { type UpsertShippingMethodRequest } from './shipping-methods/dto/upsert-shipping-method.dto.js';
export { upsertRequestOf } from './shipping-methods/stored-values.js';
export { type FilterField, type InheritedField } from './shipping-methods/method-fields.js';
export { type FilterOperator, type FilterValue } from './shipping-methods/list/list-operators.js';
export { type RawFilter, type ShippingMethodQuery } from './shipping-methods/list/list-query.dto.js';
export {
  type ShippingCarrierDto,
  type ShippingMethodChange,
  type ShippingMethodDto,
  type ShippingMethodMeta,
  type ShippingMethodPage,
  type ShippingTree,
} from './shipping-methods/dto/shipping-method.dto.js';
export {
  DuplicateMethodError,
  MethodInUseError,
  MethodNotFoundError,
  TooManyMethodsError,
  TooManyRemovalsError,
  VersionMismatchError,
} from './shipping-methods/shipping-methods.errors.js';

export { OrderEvents } from './order-events/order-events.service.js';
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
export { type OrderEventPage, type OrderEventPageQuery } from './order-events/dto/order-event-page.dto.js';
export { type NewOrderEvent, type NewOrderEventActor } from './order-events/dto/new-order-event.dto.js';

export { type CallOptions } from './database/call-options.js';
export { shippingEntities } from './shipping-entities.js';
export { connectionError } from './database/connection-errors.js';
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
