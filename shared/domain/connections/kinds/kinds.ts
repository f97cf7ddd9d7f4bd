import type { Clouds } from '../../../clouds/registry.ts'
import { cloudAConnections } from './cloud-a.ts'
import { cloudCConnections } from './cloud-c.ts'
import type { AnyConnectionKind } from './kind.ts'

/** A row for each kind of connection that is offered. */
export const CONNECTION_KINDS: Readonly<Record<keyof Clouds, AnyConnectionKind>> = {
  'cloud-a': cloudAConnections,
  'cloud-c': cloudCConnections,
}
