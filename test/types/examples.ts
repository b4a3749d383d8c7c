/** Returns the code of the examples in a doc comment. */
export function examplesIn(comment: string): string[] {
  return Array.from(comment.matchAll(/@example\n([^]*?)\n\s*\*(?= @|\/)/g), ([, lines = '']) =>
    lines.replace(/^\s*\* ?/gm, ''),
  );
}

/** What the examples use, as a host has it. */
const names = `
import { ConflictException, type INestApplication, type Type, UseGuards } from '@nestjs/common';
import {
  type BeforeCommit, type FilterCondition, isKnownOrderEventType, isOrderEvent, isShippingError,
  type KnownOrderEventType, type OrderEventDto, OrderEventsService, ProblemDetailsFilter, repeatLostRaces, shippingEntities,
  type ShippingMethodChange, type ShippingMethodDto, ShippingMethodsService, ShippingModule,
  type ShippingOptionsFactory, toShippingError, toUpsertRequest, type UpsertShippingMethodRequest,
} from 'nestjs-shipping';
import { shippingMigrations } from 'nestjs-shipping/migrations';
import {
  addShippingToDocument, createShippingDocument, type OpenApiDocument, shippingSchemas,
} from 'nestjs-shipping/openapi';
import { type PageProject, ShippingPageModule } from 'nestjs-shipping/page';
import {
  type ContractTarget, embeddedPostgresOptions, embeddedTypeOrmModule, expectNoSchemaDrift, orderEvent,
  shippingContract, shippingMethod, testTypeOrmModule,
} from 'nestjs-shipping/testing';
import { DataSource, type EntityManager, type MigrationInterface } from 'typeorm';

declare const app: INestApplication;
declare const change: ShippingMethodChange;
declare const config: object;
declare const CreateShopOrder: Type<MigrationInterface>;
declare const dataSource: DataSource;
declare const document: OpenApiDocument;
declare const error: unknown;
declare const event: OrderEventDto;
declare const events: OrderEventsService;
declare const history: OrderEventDto[];
declare const labels: Partial<Record<KnownOrderEventType, string>>;
declare const manager: EntityManager;
declare const method: ShippingMethodDto;
declare const methods: ShippingMethodsService;
declare const order: { projectId: string; orderId: string; methodId: string };
declare const SwaggerModule: { createDocument(app: INestApplication, config: object): OpenApiDocument };
declare const Test: { createTestingModule(metadata: object): { compile(): Promise<unknown> } };
declare const target: ContractTarget;
declare class ConfigService { get(name: string): number }
declare class JwtGuard { canActivate(): boolean }
declare class Outbox { topic: string; payload: object }
declare class ShopModule {}
declare class ShopOrder {}
declare class ShopService { of(user: StaffRequest['user']): Promise<PageProject[]> }
declare class StaffGuard extends JwtGuard {}
declare class TransactionHost<Adapter> { tx: Adapter; isTransactionActive(): boolean }
type StaffRequest = { user: { shops: { id: string; name: string }[] } };
type TransactionalAdapterTypeOrm = EntityManager;
declare function it(title: string, run: () => Promise<void>): void;
declare function placeOrder(manager: EntityManager, order?: object): Promise<void>;
`;

/** Returns a file with these examples, each in a function of its own. */
export function hostOf(examples: readonly string[]): string {
  const functions = examples.map((code, index) =>
    code.startsWith('declare module') ? code : `export async function example${index}() {\n${code}\n}`,
  );
  return [names, ...functions].join('\n');
}
