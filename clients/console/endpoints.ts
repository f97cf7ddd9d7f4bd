import { CLOUDS } from './clouds.ts'
import { dke } from './endpoints/dke/row.ts'
import { ekm } from './endpoints/ekm/row.ts'
import { kacls } from './endpoints/kacls/row.ts'
import type { ProtocolRow } from './endpoints/row.ts'

/** The protocols by which others use keys that stay here, in the order of display. */
export const PROTOCOLS: readonly ProtocolRow[] = [...CLOUDS.flatMap(({ endpoints = [] }) => endpoints), ekm, kacls, dke]

/** The first protocol if an address names none. */
export const protocolNamed = (name: string | undefined): ProtocolRow | undefined =>
  name === undefined ? PROTOCOLS[0] : PROTOCOLS.find((each) => each.name === name)
