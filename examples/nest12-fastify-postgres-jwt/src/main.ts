import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { JwtService } from '@nestjs/jwt';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter());
app.enableShutdownHooks();
await app.listen(process.env['PORT'] ?? 3000, '127.0.0.1');

// In production, tokens come from your identity provider.
const token = await app.get(JwtService).signAsync({ projects: ['shop'] }, { expiresIn: '1h' });
const methods = `${await app.getUrl()}/api/projects/shop/sales/orders/shipments/methods`;
console.log(`curl ${methods} -H 'authorization: Bearer ${token}'`);
