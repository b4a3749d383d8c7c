import { type Observable } from 'rxjs';
import { afterEach, beforeEach } from 'vitest';

/** Registers the hooks of a suite. Returns an array that has what a stream has emitted in the current test. */
export function emitted<Value>(stream: () => Observable<Value>): Value[] {
  const seen: Value[] = [];
  let stop: () => void;
  beforeEach(() => {
    seen.length = 0;
    const subscription = stream().subscribe((value) => seen.push(value));
    stop = () => subscription.unsubscribe();
  });
  afterEach(() => stop());
  return seen;
}
