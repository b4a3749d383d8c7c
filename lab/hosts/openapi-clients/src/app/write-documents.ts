import 'reflect-metadata';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { NestFactory } from '@nestjs/core';
import { SwaggerModule } from '@nestjs/swagger';
import { addShippingToDocument } from 'nestjs-shipping/openapi';
import { AppModule, description } from './app.module.js';

mkdirSync('dist/documents', { recursive: true });
copyFileSync(
  createRequire(import.meta.url).resolve('nestjs-shipping/openapi.json'),
  'dist/documents/package.json',
);

const app = await NestFactory.create(AppModule, { logger: ['warn', 'error'] });
const document = addShippingToDocument(SwaggerModule.createDocument(app, description));
writeFileSync('dist/documents/host.json', JSON.stringify(document, null, 2));
await app.close();
