import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Guarded } from './guarded.js';

class Cart {
  @ApiProperty()
  id!: string;
}

/** A route of the host's own: its part of the document stays as it is. */
@ApiTags('Carts')
@Guarded()
@Controller('carts')
export class CartsController {
  @Get()
  @ApiOperation({ operationId: 'listCarts', summary: 'All carts', description: 'There are none.' })
  @ApiOkResponse({ description: 'Done.', type: [Cart] })
  list(): Cart[] {
    return [];
  }
}
