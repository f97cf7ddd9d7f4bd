import { CLOUDS } from './clouds.ts'
import type { CloudRow } from './clouds/row.ts'
import type { ConnectionRow } from './connections/row.ts'
import { syslog } from './connections/syslog.ts'

/** Kinds of connections, in the order of display. */
export const CONNECTIONS: readonly ConnectionRow[] = [
  ...CLOUDS.flatMap(({ connection }) => (connection === undefined ? [] : [connection])),
  syslog,
]

export const connectionNamed = (name: string | undefined): ConnectionRow | undefined =>
  CONNECTIONS.find((each) => each.name === name)

export const connectionOf = ({ service }: { readonly service: string }): ConnectionRow | undefined =>
  CONNECTIONS.find((each) => each.service === service)

/** The cloud of a kind of connection, if it has containers. */
export const cloudOf = (row: ConnectionRow): CloudRow | undefined => CLOUDS.find(({ connection }) => connection === row)
