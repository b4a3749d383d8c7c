import { type OnModuleInit } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { defaultPath, defaultVersion, type ShippingHttpOptions } from './shipping.options.js';

/** What one `forRoot()` has mounted; each application compares all of them at boot. */
export class ShippingMount implements OnModuleInit {
  constructor(
    private readonly modules: ModulesContainer,
    private readonly dataSource: string,
    private readonly http: false | ShippingHttpOptions,
  ) {}

  /** @throws Error that names the remedy when two mounts of the application can only be a mistake */
  onModuleInit(): void {
    for (const { providers } of this.modules.values()) {
      const other: unknown = providers.get(ShippingMount)?.instance;
      if (!(other instanceof ShippingMount) || other === this || !this.collidesWith(other)) continue;
      const place =
        this.http && other.http ? `at "${pathOf(this.http)}"` : `on the DataSource "${this.dataSource}"`;
      throw new Error(
        `ShippingModule is mounted twice ${place}. Import ShippingModule.forRoot() once, with isGlobal: true so that ` +
          `every module can inject its services, or give the second mount an http.path of its own.`,
      );
    }
  }

  /** Services without routes add nothing to a mount on their DataSource; routes that are taken answer nobody. */
  private collidesWith(other: ShippingMount): boolean {
    if (!this.http || !other.http) return this.dataSource === other.dataSource;
    const theirs = versionsOf(other.http);
    return (
      pathOf(this.http) === pathOf(other.http) && versionsOf(this.http).some((each) => theirs.includes(each))
    );
  }
}

function pathOf({ path = defaultPath }: ShippingHttpOptions): string {
  return path.replace(/^\/+|\/+$/g, '');
}

function versionsOf({ version = defaultVersion }: ShippingHttpOptions): (string | symbol)[] {
  return Array.isArray(version) ? version : [version];
}
