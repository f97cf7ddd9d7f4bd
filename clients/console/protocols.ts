import { dke } from './protocols/dke.ts'
import { ekm } from './protocols/ekm.ts'
import { kacls } from './protocols/kacls.ts'
import type { ProtocolRow } from './protocols/row.ts'
import { xks } from './protocols/xks.ts'

/** The protocols by which others use keys that stay here, in the order in which they are shown. */
export const PROTOCOLS: readonly ProtocolRow[] = [xks, ekm, kacls, dke]

/** The first one where an address names none. */
export const protocolNamed = (name: string | undefined): ProtocolRow | undefined =>
  name === undefined ? PROTOCOLS[0] : PROTOCOLS.find((each) => each.name === name)
