import type { Clouds } from '../registry.ts'
import { cloudAConnections } from '../../clouds/cloud-a/connections/kind.ts'
import { cloudCConnections } from '../../clouds/cloud-c/connections/kind.ts'
import type { AnyConnectionKind } from './kind.ts'

/** A row for each kind of connection that is offered. */
export const CONNECTION_KINDS: Readonly<Record<keyof Clouds, AnyConnectionKind>> = {
  'cloud-a': cloudAConnections,
  'cloud-c': cloudCConnections,
}
