import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { addShippingToDocument } from 'nestjs-shipping/openapi';

/** Serves `/openapi.json` for programs and `/docs` for people. All assets of `/docs` come from this server. */
export function serveDocs(app: INestApplication): void {
  const description = new DocumentBuilder()
    .setTitle('nestjs-shipping, the sample host')
    .setDescription('The six routes of the library, and the shop of this host.')
    .setVersion('0.1.0')
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addServer('/')
    .addTag('Shop', 'What the page of the shop calls.')
    .build();
  const document = addShippingToDocument(SwaggerModule.createDocument(app, description));
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'nestjs-shipping API',
  });
}
