import { Module } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrm } from 'nestjs-shipping/testing';

@Module({
  imports: [embeddedTypeOrm(), ShippingModule.forRoot({ isGlobal: true })],
})
export class AppModule {}
