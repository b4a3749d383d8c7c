import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { consolePage } from './console.page.js';

@ApiExcludeController()
@Controller()
export class ConsoleController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  page(): string {
    return consolePage;
  }
}
