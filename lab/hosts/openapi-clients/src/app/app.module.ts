import { Module } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';
import { CartsController } from './carts.controller.js';
import { Guarded } from './guarded.js';

@Module({
  imports: [embeddedTypeOrmModule(), ShippingModule.forRoot({ http: { decorators: [Guarded()] } })],
  controllers: [CartsController],
})
export class AppModule {}

export const description = new DocumentBuilder()
  .setTitle('Shop')
  .setDescription('The backend of a shop.')
  .setVersion('7.0.0')
  .setContact('Shop', 'https://shop.test', 'api@shop.test')
  .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
  .addServer('/')
  .addTag('Carts', 'What is not yet ordered.')
  .addBearerAuth()
  .build();
