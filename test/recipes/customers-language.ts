import { createHash } from 'node:crypto';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type ShippingMethodDto, type ShippingMethodPage, type ShippingTree } from 'nestjs-shipping';
import { map, type Observable } from 'rxjs';

/** The language of `method_label`. */
const shopLanguage = 'en';

/** Returns `fr` and `de` for the header `fr-CH, de;q=0.5`. */
function languagesOf(accepted = ''): string[] {
  return accepted.split(',').map((part) => part.trim().split(/[-;]/)[0]?.toLowerCase() ?? '');
}

/** Puts `meta.labels.fr` in the place of `method_label` if the client asks for French. */
@Injectable()
export class CustomersLanguage implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const response = http.getResponse();
    const languages = languagesOf(http.getRequest().headers['accept-language']);
    const vary = [response.getHeader('Vary'), 'Accept-Language'].filter(Boolean).join(', ');
    response.header('Vary', vary);

    const translated = (method: ShippingMethodDto): ShippingMethodDto => {
      const labels = new Map<string, unknown>(Object.entries(Object(method.meta.labels)));
      const language = languages.find((each) => each === shopLanguage || labels.has(each));
      const label = labels.get(language ?? shopLanguage);
      return { ...method, method_label: typeof label === 'string' ? label : method.method_label };
    };
    return next.handle().pipe(
      map((value: ShippingMethodPage | ShippingTree) => {
        const data = value.data.map((each) =>
          'methods' in each ? { ...each, methods: each.methods.map(translated) } : translated(each),
        );
        const answer = { ...value, data };
        const digest = createHash('sha256').update(JSON.stringify(answer)).digest('base64url');
        response.header('ETag', `W/"${digest}"`);
        return answer;
      }),
    );
  }
}
