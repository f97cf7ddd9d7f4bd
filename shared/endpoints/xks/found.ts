import type { HostedKey } from './hosted-key.ts'
import { XksRefusal } from './errors.ts'

/** The key that was looked for. @throws XksRefusal KeyNotFoundException: it is nowhere, or in another store */
export function found(key: HostedKey | undefined): HostedKey {
  if (key === undefined) throw new XksRefusal('KeyNotFoundException')
  return key
}
