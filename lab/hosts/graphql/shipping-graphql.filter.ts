import { Catch } from '@nestjs/common';
import { type GqlExceptionFilter } from '@nestjs/graphql';
import { GraphQLError } from 'graphql';
import { ShippingHttpError } from 'nestjs-shipping';

/** Give it to your resolvers with `@UseFilters(ShippingGraphqlFilter)`. */
@Catch(ShippingHttpError)
export class ShippingGraphqlFilter implements GqlExceptionFilter<ShippingHttpError> {
  catch(error: ShippingHttpError): GraphQLError {
    const { detail, ...extensions } = error.problem;
    return new GraphQLError(detail, { extensions, originalError: error });
  }
}
