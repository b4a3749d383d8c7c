import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { prepareDemo } from './demo/demo.js';
import { serveDocs } from './docs.js';
import { applicationOptions, configureHttp, httpAdapter } from './hardening/http.js';
import { listen } from './hardening/listen.js';
import { exitWithReason } from './hardening/startup.js';

async function start(): Promise<void> {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, httpAdapter(), applicationOptions);
  configureHttp(app);
  serveDocs(app);
  const examples = await prepareDemo(app);
  const origin = await listen(app);
  console.log(`\nnestjs-shipping sample: ${origin}`);
  console.log(`The page of the staff: ${origin}/shipping?project=demo&order=1001. The API: ${origin}/docs`);
  for (const path of examples) console.log(`  curl '${origin}${path}'`);
}

await start().catch(exitWithReason);
