import { Inject, UseFilters } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { ShippingMethodsService } from 'nestjs-shipping';
import { ShippingGraphqlFilter } from './shipping-graphql.filter.js';

export const typeDefs = `
  type Method { id: ID! method_label: String! }
  input NewMethod { carrier_code: String! method_code: String! method_label: String! }
  type Query { method(shop: String!, id: String!): Method! plain(shop: String!, id: String!): Method! }
  type Mutation { addMethod(shop: String!, method: NewMethod!): Method! }
`;

interface NewMethod {
  carrier_code: string;
  method_code: string;
  method_label: string;
}

@Resolver('Method')
@UseFilters(ShippingGraphqlFilter)
export class MethodsResolver {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Query()
  method(@Args('shop') shop: string, @Args('id') id: string): Promise<object> {
    return this.methods.findOrFail(shop, id);
  }

  @Mutation()
  addMethod(@Args('shop') shop: string, @Args('method') method: NewMethod): Promise<object> {
    return this.methods.create(shop, method);
  }
}

@Resolver('Method')
export class PlainResolver {
  constructor(@Inject(ShippingMethodsService) private readonly methods: ShippingMethodsService) {}

  @Query()
  plain(@Args('shop') shop: string, @Args('id') id: string): Promise<object> {
    return this.methods.findOrFail(shop, id);
  }
}
