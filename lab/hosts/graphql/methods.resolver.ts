import { Inject, UseFilters } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { ShippingMethodsService, type UpsertShippingMethodRequest } from 'nestjs-shipping';
import { ShippingGraphqlFilter } from './shipping-graphql.filter.js';

export const typeDefs = `
  type Method { id: ID! method_label: String! }
  input NewMethod { carrier_code: String! method_code: String! method_label: String! }
  type Query { methods(shop: String!): [Method!]! method(shop: String!, id: String!): Method! }
  type Mutation { addMethod(shop: String!, method: NewMethod!): Method! }
`;

@Resolver('Method')
@UseFilters(ShippingGraphqlFilter)
export class MethodsResolver {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Query('methods')
  list(@Args('shop') shop: string): Promise<readonly object[]> {
    return this.methods.findActive(shop);
  }

  @Query()
  method(@Args('shop') shop: string, @Args('id') id: string): Promise<object> {
    return this.methods.findOrFail(shop, id);
  }

  @Mutation()
  addMethod(
    @Args('shop') shop: string,
    @Args('method') method: UpsertShippingMethodRequest,
  ): Promise<object> {
    return this.methods.create(shop, method);
  }
}

export const plainTypeDefs = 'extend type Query { plain(shop: String!, id: String!): Method! }';

@Resolver('Method')
export class PlainResolver {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Query()
  plain(@Args('shop') shop: string, @Args('id') id: string): Promise<object> {
    return this.methods.findOrFail(shop, id);
  }
}
