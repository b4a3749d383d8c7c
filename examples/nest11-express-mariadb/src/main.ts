import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';

async function main(): Promise<void> {
  const app = await NestFactory.create(AppModule);
  app.enableShutdownHooks();
  await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');
  console.log(`${await app.getUrl()}/api/projects/shop/sales/orders/shipments/methods`);
}

void main();
