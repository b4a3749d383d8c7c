import { Module } from '@nestjs/common';
import { ShippingModule } from 'nestjs-shipping';
import { embeddedTypeOrmModule } from 'nestjs-shipping/testing';

@Module({
  imports: [embeddedTypeOrmModule(), ShippingModule.forRoot({ isGlobal: true })],
})
export class AppModule {}
